import type { ParsedSignature } from "../signature/parse-signature.ts";
import {
  asSignatureError,
  countersignatureOf,
  hasRepositoryCountersignature,
} from "../signature/parse-signature.ts";
import { isValidThroughout } from "../x509/certificate.ts";
import type { TrustedRoots } from "../x509/chain.ts";
import type { RootList } from "../x509/root-list.ts";
import { createRootList } from "../x509/root-list.ts";
import type { PolicyRules } from "./policy.ts";
import type { SignerContext, SignerVerdict, VerificationIssue } from "./verify-signer.ts";
import { verifySigner } from "./verify-signer.ts";

/** Root certificates, DER, or `"any"` to leave trust out of the question. */
export type Trust = {
  readonly codeSigning: readonly Uint8Array[] | "any";
  readonly timestamping: readonly Uint8Array[] | "any";
};

/** Judges a signature without its package: everything but the package hash. */
export function verifySigners(
  signature: ParsedSignature,
  options: {
    readonly rules: PolicyRules;
    readonly trust: Trust;
    readonly now: Date;
    /** Signing certificates (SHA-256, lower-case hex) whose root need not be trusted. */
    readonly isExempt?: (fingerprint: string) => boolean;
  },
): { readonly valid: boolean; readonly issues: readonly VerificationIssue[] } {
  const { rules, trust, now, isExempt = () => false } = options;
  return asSignatureError(() => {
    const context: SignerContext = {
      role: "primary",
      content: signature.data.content,
      certificates: signature.data.certificates,
      rules,
      trust: {
        codeSigning: indexedRoots(trust.codeSigning),
        timestamping: indexedRoots(trust.timestamping),
      },
      isExempt,
      now,
    };
    const primary = verifySigner(signature, context);
    const isNeeded =
      rules.countersignature === "if-present" || canUseCountersignature(primary, signature);
    const countersigner =
      isNeeded && hasRepositoryCountersignature(signature)
        ? countersignatureOf(signature)
        : undefined;
    if (!countersigner) return { valid: primary.status === "valid", issues: primary.issues };
    const content = signature.signer.signature;
    const counter = verifySigner(countersigner, { ...context, role: "countersignature", content });
    return rescued(signature, primary, counter);
  });
}

/** A good countersignature forgives an untrusted or expired first signature. */
function rescued(
  signature: ParsedSignature,
  primary: SignerVerdict,
  counter: SignerVerdict,
): { readonly valid: boolean; readonly issues: readonly VerificationIssue[] } {
  const forgiven = new Set<string>();
  let isPrimaryValid = primary.status === "valid";
  if (counter.status === "valid" && canUseCountersignature(primary, signature)) {
    const isTimeSaved =
      counter.timestamp !== undefined &&
      isValidThroughout(signature.certificate, counter.timestamp);
    if (primary.isUntrusted) forgiven.add("NU3018");
    if (primary.isExpired && isTimeSaved) forgiven.add("NU3037");
    if (!primary.isExpired || isTimeSaved) isPrimaryValid = true;
  }
  return {
    valid: isPrimaryValid && counter.status === "valid",
    issues: [...primary.issues.filter((issue) => !forgiven.has(issue.code)), ...counter.issues],
  };
}

function canUseCountersignature(primary: SignerVerdict, signature: ParsedSignature): boolean {
  return signature.kind !== "repository" && (primary.isUntrusted || primary.isExpired);
}

/** A client's list has hundreds of roots, and a caller passes the same list every time. */
const indexedLists = new WeakMap<readonly Uint8Array[], RootList>();

/** @throws DerError when one is not a certificate */
function indexedRoots(roots: readonly Uint8Array[] | "any"): TrustedRoots {
  if (roots === "any") return roots;
  const indexed = indexedLists.get(roots) ?? createRootList(roots);
  indexedLists.set(roots, indexed);
  return indexed;
}
