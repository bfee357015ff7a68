import type { SignedStatement } from "./release-statement.ts";
import { PAYLOAD_TYPE } from "./sign-statement.ts";

/** The files of a statement by name, for stock verifiers. */
export function statementFiles(signed: SignedStatement): ReadonlyMap<string, string> {
  return new Map([
    ["release.sigstore.json", bundleOf(signed)],
    ["release.dsse.json", JSON.stringify(envelopeOf(signed))],
    ["release.json", signed.statement],
    ["release.json.sig", signed.plainSignature],
    ["release.pub", signed.publicKey],
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
