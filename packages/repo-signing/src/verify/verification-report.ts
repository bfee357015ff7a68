import type { SignerFacts } from "../signature/signer-facts.ts";
import type { PackageVerification } from "./verify-package.ts";

/** NuGet's codes, and codes for faults of a file or a storage. */
export type ReportCode =
  | PackageVerification["issues"][number]["code"]
  | "NOT_A_PACKAGE"
  | "UNREADABLE"
  | "BYTES_MISSING"
  | "DIGEST_MISMATCH"
  | "SEAL_BROKEN";

/** One problem of a report. */
export type ReportProblem = { readonly code: ReportCode; readonly message: string };

/** The verification of one package, as JSON shows it. */
export type VerificationReport = {
  /** The path of a file, or the file name of a stored version. */
  readonly file: string;
  readonly valid: boolean;
  /** Facts of the first signature; null when the signature cannot be read. */
  readonly signatureType: PackageVerification["signatureType"] | null;
  readonly contentHash: string | null;
  readonly errors: readonly ReportProblem[];
  readonly warnings: readonly ReportProblem[];
  readonly signer: SignerReport | null;
  readonly timestamp: TimestampReport | null;
  /** The repository that countersigned, with the timestamp of its signature. */
  readonly countersigner: (SignerReport & { readonly timestamp: TimestampReport | null }) | null;
};

type SignerReport = {
  readonly subject: string | null;
  readonly issuer: string | null;
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string | null;
  readonly notBefore: Date | null;
  readonly notAfter: Date | null;
  readonly signingTime: Date | null;
  readonly serviceIndex: string | null;
  readonly owners: readonly string[];
};

type TimestampReport = {
  readonly time: Date;
  readonly accuracyMs: number;
  readonly authority: string;
};

/**
 * `more`: problems in addition to those of the verification; undefined `verification` means that it
 * failed.
 */
export function reportOf(
  file: string,
  verification: PackageVerification | undefined,
  more: {
    readonly errors?: readonly ReportProblem[];
    readonly warnings?: readonly ReportProblem[];
  } = {},
): VerificationReport {
  const errors = [...(more.errors ?? []), ...problemsOf(verification, "error")];
  const { signer, countersignature } = verification ?? {};
  return {
    file,
    valid: verification?.valid === true && errors.length === 0,
    signatureType: verification?.signatureType ?? null,
    contentHash: verification?.contentHash ?? null,
    errors,
    warnings: [...(more.warnings ?? []), ...problemsOf(verification, "warning")],
    signer: signer ? signerOf(signer) : null,
    timestamp: timestampOf(signer),
    countersigner: countersignature
      ? { ...signerOf(countersignature), timestamp: timestampOf(countersignature) }
      : null,
  };
}

function problemsOf(
  verification: PackageVerification | undefined,
  level: "error" | "warning",
): readonly ReportProblem[] {
  if (!verification) return [];
  const { issues, archiveProblem } = verification;
  const problems: ReportProblem[] = issues
    .filter((issue) => issue.level === level)
    .map(({ code, message }) => ({ code, message }));
  if (level === "error" && archiveProblem && problems.length === 0) {
    problems.push({ code: "NOT_A_PACKAGE", message: archiveProblem.message });
  }
  return problems;
}

function signerOf(facts: SignerFacts): SignerReport {
  return {
    subject: facts.subject ?? null,
    issuer: facts.issuer ?? null,
    fingerprint: facts.fingerprint ?? null,
    notBefore: facts.validity?.from ?? null,
    notAfter: facts.validity?.to ?? null,
    signingTime: facts.signingTime ?? null,
    serviceIndex: facts.serviceIndexUrl ?? null,
    owners: facts.packageOwners,
  };
}

function timestampOf(facts: SignerFacts | undefined): TimestampReport | null {
  const [first] = facts?.timestamps ?? [];
  if (!first) return null;
  const { time, accuracyMs, authority } = first;
  return { time, accuracyMs, authority };
}
