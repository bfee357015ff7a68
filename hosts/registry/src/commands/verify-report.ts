import type { PackageVerification, SignerFacts } from "@sealhouse/repo-signing";

/** NuGet's codes, and those of what a store can do to a package. */
export type VerifyCode =
  | PackageVerification["issues"][number]["code"]
  | "NOT_A_PACKAGE"
  | "UNREADABLE"
  | "BYTES_MISSING"
  | "DIGEST_MISMATCH"
  | "SEAL_BROKEN";

export type VerifyProblem = { readonly code: VerifyCode; readonly message: string };

/** One package, as `--json` shows it. */
export type VerifyReport = {
  /** As it was named, or the file name under which the feed serves it. */
  readonly file: string;
  readonly valid: boolean;
  /** Of whoever signed first; null when the signature cannot be read. */
  readonly signatureType: PackageVerification["signatureType"] | null;
  readonly contentHash: string | null;
  readonly errors: readonly VerifyProblem[];
  readonly warnings: readonly VerifyProblem[];
  readonly signer: SignerReport | null;
  readonly timestamp: TimestampReport | null;
  /** The repository that signed after somebody else, with its own time-stamp. */
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

/** `found`: problems that the verification itself does not know of. */
export function reportOf(
  file: string,
  verification: PackageVerification | undefined,
  found: {
    readonly errors?: readonly VerifyProblem[];
    readonly warnings?: readonly VerifyProblem[];
  } = {},
): VerifyReport {
  const errors = [...(found.errors ?? []), ...problemsOf(verification, "error")];
  const { signer, countersignature } = verification ?? {};
  return {
    file,
    valid: verification?.valid === true && errors.length === 0,
    signatureType: verification?.signatureType ?? null,
    contentHash: verification?.contentHash ?? null,
    errors,
    warnings: [...(found.warnings ?? []), ...problemsOf(verification, "warning")],
    signer: signer ? signerOf(signer) : null,
    timestamp: timestampOf(signer),
    countersigner: countersignature
      ? { ...signerOf(countersignature), timestamp: timestampOf(countersignature) }
      : null,
  };
}

/** For people: one line, and one for each problem. */
export function textOf(report: VerifyReport): string {
  const { file, valid, signatureType, signer, timestamp, countersigner, errors, warnings } = report;
  const facts = [
    valid ? "valid  " : "INVALID",
    file,
    ...(signatureType === null || signatureType === "none" ? [] : [signatureType]),
    ...(signer?.subject === null || signer === null ? [] : [signer.subject]),
    ...(timestamp ? [`time-stamped ${timestamp.time.toISOString()}`] : []),
    ...(countersigner ? [`countersigned by ${countersigner.subject ?? "nobody known"}`] : []),
  ];
  return [
    facts.join("  "),
    ...errors.map(({ code, message }) => `  error ${code}: ${message}`),
    ...warnings.map(({ code, message }) => `  warning ${code}: ${message}`),
  ].join("\n");
}

function problemsOf(
  verification: PackageVerification | undefined,
  wanted: "error" | "warning",
): readonly VerifyProblem[] {
  if (!verification) return [];
  const { issues, archiveProblem } = verification;
  const named: VerifyProblem[] = issues
    .filter(({ level }) => level === wanted)
    .map(({ code, message }) => ({ code, message }));
  if (wanted === "error" && archiveProblem && named.length === 0) {
    named.push({ code: "NOT_A_PACKAGE", message: archiveProblem.message });
  }
  return named;
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
