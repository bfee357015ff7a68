import { createPublicKey, verify } from "node:crypto";
import { digestOf, OUTCOME_TYPE } from "./outcome-statement.ts";
import { FORMER_STATEMENT_TYPE, STATEMENT_TYPE } from "./release-statement.ts";
import type { SignedStatement } from "./release-statement.ts";
import { keyIdOf, preAuthenticated } from "./sign-statement.ts";

/** Result of a check of a statement. */
export type StatementVerdict =
  | { readonly status: "valid"; readonly keyId: string }
  | { readonly status: "invalid"; readonly reason: string };

const FORMER_TYPES = {
  [STATEMENT_TYPE]: FORMER_STATEMENT_TYPE,
  [OUTCOME_TYPE]: `${FORMER_STATEMENT_TYPE}/outcome`,
} as const;

/** Checks both signatures of a statement against a pinned key (PEM), and its type. */
export function verifyStatement(
  signed: SignedStatement,
  pinned: string,
  type: typeof STATEMENT_TYPE | typeof OUTCOME_TYPE = STATEMENT_TYPE,
): StatementVerdict {
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
  if (predicateType !== type && predicateType !== FORMER_TYPES[type])
    return invalid("it is a statement about something else");
  return { status: "valid", keyId };
}

/** Checks a statement likewise, and that it is about the release with this id. */
export function verifyReleaseStatement(
  signed: SignedStatement,
  { id, pinned }: { readonly id: string; readonly pinned: string },
): StatementVerdict {
  const verdict = verifyStatement(signed, pinned);
  if (verdict.status === "invalid") return verdict;
  const { predicate } = JSON.parse(signed.statement) as ReleaseDocument;
  return predicate.release.id === id ? verdict : invalid("it is about another release");
}

/** Written by `releaseStatement`, whose signature was checked. */
type ReleaseDocument = { readonly predicate: { readonly release: { readonly id: string } } };

/** Checks the statement about the end of a release likewise, and that it is about this release. */
export function verifyOutcome(
  outcome: SignedStatement,
  { statement, pinned }: { readonly statement: SignedStatement; readonly pinned: string },
): StatementVerdict & { readonly state?: string } {
  const verdict = verifyStatement(outcome, pinned, OUTCOME_TYPE);
  if (verdict.status === "invalid") return verdict;
  const { predicate } = JSON.parse(outcome.statement) as OutcomeDocument;
  const { statement: about, state } = predicate.release;
  if (about.sha256 !== digestOf(statement)) return invalid("it is about another release");
  return { ...verdict, state };
}

/** Written by `outcomeStatement`, whose signature was checked. */
type OutcomeDocument = {
  readonly predicate: {
    readonly release: { readonly state: string; readonly statement: { readonly sha256: string } };
  };
};

function invalid(reason: string): StatementVerdict {
  return { status: "invalid", reason };
}
