import { purlOf } from "../provenance/read-provenance.ts";

/**
 * The form of a provenance bundle; its signature is not valid. The other objects override the
 * statement, the bundle and its envelope.
 */
export function provenanceBundle(
  about: { readonly name: string; readonly version: string; readonly sha512: string },
  statement: object = {},
  bundle: object = {},
  envelope: object = {},
): string {
  const { name, version, sha512 } = about;
  const payload = JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: purlOf(name, version), digest: { sha512 } }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {},
    ...statement,
  });
  return JSON.stringify({
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { certificate: { rawBytes: "AA==" }, tlogEntries: [{ logIndex: "1" }] },
    dsseEnvelope: {
      payload: Buffer.from(payload).toString("base64"),
      payloadType: "application/vnd.in-toto+json",
      signatures: [{ sig: "AA==" }],
      ...envelope,
    },
    ...bundle,
  });
}
