import { createHash } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { SignedStatement } from "./release-statement.ts";

/**
 * Signs with SHA-256 what `cosign` verifies with a public key: ECDSA over P-256 in DER, or
 * RSASSA-PKCS1-v1_5.
 */
export type StatementKey = {
  readonly publicKey: KeyObject;
  sign(data: Uint8Array): Promise<Uint8Array>;
};

export const PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** Signs a statement twice: as the payload of a DSSE envelope, and as a file. */
export async function signStatement(
  statement: string,
  key: StatementKey,
): Promise<SignedStatement> {
  const { publicKey } = key;
  const bytes = Buffer.from(statement);
  const envelope = await key.sign(preAuthenticated(bytes));
  const plain = await key.sign(bytes);
  return {
    statement,
    envelopeSignature: Buffer.from(envelope).toString("base64"),
    plainSignature: Buffer.from(plain).toString("base64"),
    keyId: keyIdOf(publicKey),
    publicKey: publicKey.export({ format: "pem", type: "spki" }).toString(),
  };
}

/** Base64 of the SHA-256 of the public key, as `cosign` names a key in its bundles. */
export function keyIdOf(publicKey: KeyObject): string {
  const spki = publicKey.export({ format: "der", type: "spki" });
  return createHash("sha256").update(spki).digest("base64");
}

/** PAE of DSSE: "DSSEv1" SP LEN(type) SP type SP LEN(body) SP body. */
export function preAuthenticated(payload: Uint8Array): Uint8Array {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
