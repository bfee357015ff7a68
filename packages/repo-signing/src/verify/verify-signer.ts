import { isSignatureOf } from "../cms/check-signer.ts";
import { attributesOf } from "../cms/signed-data.ts";
import { OID } from "../der/oid.ts";
import type { NuGetCode } from "../errors.ts";
import type { ParsedSigner } from "../signature/parse-signature.ts";
import type { TimestampToken } from "../timestamp/token.ts";
import { parseTimestampToken, timestampFaults } from "../timestamp/token.ts";
import type { Certificate } from "../x509/certificate.ts";
import { isValidThroughout } from "../x509/certificate.ts";
import { illegalCertificate } from "../x509/certificate-rules.ts";
import type { TrustedRoots } from "../x509/chain.ts";
import { buildChain } from "../x509/chain.ts";
import type { PolicyRules } from "./policy.ts";

/** One finding of a verification, with NuGet's code. */
export type VerificationIssue = {
  readonly level: "error" | "warning";
  readonly code: NuGetCode;
  readonly message: string;
};

export type SignerVerdict = {
  readonly status: "valid" | "invalid";
  readonly issues: readonly VerificationIssue[];
  readonly isUntrusted: boolean;
  readonly isExpired: boolean;
  readonly timestamp: TimestampToken | undefined;
};

export type SignerContext = {
  readonly role: "primary" | "countersignature";
  /** The signed object: the content, or the primary signature. */
  readonly content: Uint8Array;
  readonly certificates: readonly Certificate[];
  readonly rules: PolicyRules;
  readonly trust: { readonly codeSigning: TrustedRoots; readonly timestamping: TrustedRoots };
  /** Whether a signing certificate (SHA-256, lower-case hex) may have an untrusted root. */
  readonly isExempt: (fingerprint: string) => boolean;
  readonly now: Date;
};

/**
 * Judges one signer like the client.
 * @throws SignatureError for a malformed timestamp
 */
export function verifySigner(signer: ParsedSigner, context: SignerContext): SignerVerdict {
  const stamp = verifyTimestamp(signer, context);
  const own = verifyOwn(signer, stamp.timestamp, context);
  const issues = [...own.issues, ...stamp.issues];
  if (!stamp.isUsable && !context.rules.allowInvalidTimestamp) {
    return { ...own, status: "invalid", isUntrusted: false, isExpired: false, issues };
  }
  return { ...own, issues };
}

/** The interval in which a signature was made: by its timestamp, or now. */
function signingSpan(
  timestamp: TimestampToken | undefined,
  now: Date,
): { readonly from: Date; readonly to: Date } {
  return timestamp ?? { from: now, to: now };
}

function verifyOwn(
  { kind, signer, certificate }: ParsedSigner,
  timestamp: TimestampToken | undefined,
  context: SignerContext,
): SignerVerdict {
  const { rules, now } = context;
  const name = nameOf(kind, context.role);
  const issues: VerificationIssue[] = [];
  const note = (isError: boolean, code: NuGetCode, message: string) =>
    issues.push({ level: isError ? "error" : "warning", code, message: `${name}: ${message}.` });
  const verdict = (isValid: boolean, flags: Partial<SignerVerdict> = {}): SignerVerdict => ({
    status: isValid ? "valid" : "invalid",
    isUntrusted: false,
    isExpired: false,
    timestamp,
    issues,
    ...flags,
  });
  if (!certificate) {
    note(!rules.allowIllegal, "NU3010", "its certificate is missing");
    return verdict(rules.allowIllegal);
  }
  if (!isSignatureOf(signer, context.content, certificate)) {
    note(!rules.allowIllegal, "NU3012", "it does not verify");
    return verdict(rules.allowIllegal);
  }
  const illegal = illegalCertificate(certificate, now);
  for (const { code, message } of illegal) {
    note(!rules.allowIllegal, code, `its certificate cannot be used: ${message}`);
  }
  // An illegal certificate fails even where illegal formats are forgiven.
  if (illegal.length > 0) return verdict(false);
  const chain = buildChain(certificate, context.certificates, {
    roots: context.trust.codeSigning,
    purpose: OID.codeSigning,
  });
  const faults = [...chain.faults];
  if (chain.end === "incomplete") faults.push("the chain of its certificate is incomplete");
  for (const fault of faults) note(!rules.allowIllegal, "NU3012", fault);
  const isUnknownRoot =
    chain.end === "untrusted-root" && !context.isExempt(certificate.fingerprint);
  const isUntrusted = isUnknownRoot && !rules.allowUntrusted;
  if (isUnknownRoot) {
    note(!rules.allowUntrusted, "NU3018", "its root certificate is not trusted");
  }
  const isInTime = isValidThroughout(certificate, signingSpan(timestamp, now));
  if (!isInTime) {
    note(!rules.allowUntrusted, "NU3037", "its certificate was not valid at the time of signing");
  }
  const isValid = faults.length === 0 && !isUntrusted && (isInTime || rules.allowUntrusted);
  return verdict(isValid, { isUntrusted, isExpired: !isInTime });
}

function nameOf(kind: ParsedSigner["kind"], role: SignerContext["role"]): string {
  if (role === "countersignature") return "The repository countersignature";
  return kind === "unknown" ? "The signature" : `The ${kind} signature`;
}

function verifyTimestamp(
  { signer }: ParsedSigner,
  { rules, trust, now }: SignerContext,
): {
  readonly isUsable: boolean;
  readonly issues: readonly VerificationIssue[];
  readonly timestamp: TimestampToken | undefined;
} {
  const [token] = attributesOf(signer.unsignedAttributes, OID.timestampToken)
    .flatMap((attribute) => attribute.values)
    .map((value) => parseTimestampToken(value.raw));
  if (!token) {
    const message = "The signature has no timestamp, so it expires with its certificate.";
    return {
      isUsable: true,
      issues: [{ level: "warning", code: "NU3027", message }],
      timestamp: undefined,
    };
  }
  const level = rules.allowInvalidTimestamp ? "warning" : "error";
  const issues: VerificationIssue[] = timestampFaults(token, signer.signature, now).map(
    ({ code, message }) => ({ level, code, message: `The timestamp is invalid: ${message}.` }),
  );
  if (issues.length > 0) return { isUsable: false, issues, timestamp: undefined };
  const chain = buildChain(token.certificate, token.certificates, {
    roots: trust.timestamping,
    purpose: OID.timeStamping,
  });
  for (const fault of chain.faults) {
    issues.push({ level, code: "NU3028", message: `The timestamp is invalid: ${fault}.` });
  }
  if (chain.end === "incomplete") {
    issues.push({ level, code: "NU3028", message: "The timestamp's chain is incomplete." });
  }
  // The client reports this one as an error even where it forgives it.
  if (chain.end === "untrusted-root") {
    const message = "The timestamp's root certificate is not trusted.";
    issues.push({ level: "error", code: "NU3028", message });
  }
  const isUsable = issues.length === 0;
  return { isUsable, issues, timestamp: isUsable ? token : undefined };
}
