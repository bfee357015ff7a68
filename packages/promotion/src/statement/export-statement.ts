import type { SignedStatement } from "./release-statement.ts";
import { PAYLOAD_TYPE } from "./sign-statement.ts";

/** The files of a statement by name, for stock verifiers; those of its outcome likewise. */
export function statementFiles(
  signed: SignedStatement,
  name: "release" | "outcome" = "release",
): ReadonlyMap<string, string> {
  return new Map([
    [`${name}.sigstore.json`, bundleOf(signed)],
    [`${name}.dsse.json`, JSON.stringify(envelopeOf(signed))],
    [`${name}.json`, signed.statement],
    [`${name}.json.sig`, signed.plainSignature],
    [`${name}.pub`, signed.publicKey],
  ]);
}

/** A Sigstore bundle v0.3 with one signature, for `cosign verify-blob-attestation --bundle`. */
export function bundleOf(signed: SignedStatement): string {
  return JSON.stringify({
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { publicKey: { hint: signed.keyId }, tlogEntries: [] },
    dsseEnvelope: envelopeOf(signed),
  });
}

function envelopeOf({ statement, envelopeSignature: sig }: SignedStatement) {
  return {
    payload: Buffer.from(statement).toString("base64"),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ sig }],
  };
}
