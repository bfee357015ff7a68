import { createPublicKey, verify } from "node:crypto";
import { STATEMENT_TYPE } from "./release-statement.ts";
import type { SignedStatement } from "./release-statement.ts";
import { keyIdOf, preAuthenticated } from "./sign-statement.ts";

/** Result of a check of a statement. */
export type StatementVerdict =
  | { readonly status: "valid"; readonly keyId: string }
  | { readonly status: "invalid"; readonly reason: string };

/** Checks both signatures of a statement against a pinned key (PEM), and its type. */
export function verifyStatement(signed: SignedStatement, pinned: string): StatementVerdict {
  const publicKey = createPublicKey(pinned);
  const keyId = keyIdOf(publicKey);
  if (keyId !== signed.keyId) return invalid(`it is signed with the key ${signed.keyId}`);
  const bytes = Buffer.from(signed.statement);
  const isSigned = (data: Uint8Array, signature: string) =>
    verify("sha256", data, publicKey, Buffer.from(signature, "base64"));
  if (!isSigned(preAuthenticated(bytes), signed.envelopeSignature)) {
    return invalid("the signature of the envelope does not fit");
  }
  if (!isSigned(bytes, signed.plainSignature)) return invalid("the signature does not fit");
  const { predicateType } = JSON.parse(signed.statement) as { readonly predicateType?: unknown };
  if (predicateType !== STATEMENT_TYPE) return invalid("it is not a statement about a release");
  return { status: "valid", keyId };
}

function invalid(reason: string): StatementVerdict {
  return { status: "invalid", reason };
}
