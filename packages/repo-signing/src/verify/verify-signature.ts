import type { Archive } from "../archive/archive.ts";
import { readArchive } from "../archive/archive.ts";
import { contentHashes } from "../archive/content-hash.ts";
import { readSignatureEntry, signatureEntryOf } from "../archive/signature-entry.ts";
import { ArchiveError, SignatureError } from "../errors.ts";
import { sameBytes } from "../hash.ts";
import type { PackageBytes } from "../ports.ts";
import type { SignatureKind } from "../signature/nuget-attributes.ts";
import type { ParsedSignature } from "../signature/parse-signature.ts";
import {
  asSignatureError,
  countersignatureOf,
  hasRepositoryCountersignature,
  parseSignature,
} from "../signature/parse-signature.ts";
import { isValidThroughout, parseCertificate } from "../x509/certificate.ts";
import type { TrustedRoots } from "../x509/chain.ts";
import type { PolicyRules, VerificationPolicy } from "./policy.ts";
import { POLICY_RULES } from "./policy.ts";
import type { SignerContext, SignerVerdict, VerificationIssue } from "./verify-signer.ts";
import { verifySigner } from "./verify-signer.ts";

/** Root certificates, DER, or `"any"` to leave trust out of the question. */
export type Trust = {
  readonly codeSigning: readonly Uint8Array[] | "any";
  readonly timestamping: readonly Uint8Array[] | "any";
};

export type Verification = {
  readonly valid: boolean;
  /** Undefined when the package is unsigned or its signature cannot be read. */
  readonly kind: SignatureKind | undefined;
  /** Base64 SHA-512 of the package without its signature; undefined when it cannot be read. */
  readonly contentHash: string | undefined;
  readonly issues: readonly VerificationIssue[];
  /** Set when the file is no archive a client would open; there are no codes for that. */
  readonly archiveProblem: string | undefined;
};

/**
 * Verifies a package with the client's verdict and codes. Reads the file once, by ranges; memory
 * does not grow with it. A bad package is a result; only a failing source throws.
 */
export async function verifySignature(
  file: PackageBytes,
  options: { readonly policy?: VerificationPolicy; readonly trust: Trust; readonly now: Date },
): Promise<Verification> {
  const rules = POLICY_RULES[options.policy ?? "verify"];
  try {
    const archive = await readArchive(file);
    const entry = signatureEntryOf(archive);
    if (!entry) return await unsigned(file, archive, rules);
    const signature = parseSignature(await readSignatureEntry(file, entry));
    return await verifySigned({ file, archive, signature }, rules, options);
  } catch (error) {
    if (error instanceof SignatureError) return illegal(error, rules);
    if (!(error instanceof ArchiveError)) throw error;
    const issues: VerificationIssue[] =
      error.code === undefined
        ? []
        : [{ level: "error", code: error.code, message: error.message }];
    return { ...nothing, valid: false, issues, archiveProblem: error.message };
  }
}

/** Judges a signature without its package: everything but the package hash. */
export function verifySigners(
  signature: ParsedSignature,
  options: {
    readonly rules: PolicyRules;
    readonly trust: Trust;
    readonly now: Date;
  },
): { readonly valid: boolean; readonly issues: readonly VerificationIssue[] } {
  const context: SignerContext = {
    content: signature.data.content,
    certificates: signature.data.certificates,
    rules: options.rules,
    trust: {
      codeSigning: parsedRoots(options.trust.codeSigning),
      timestamping: parsedRoots(options.trust.timestamping),
    },
    now: options.now,
  };
  return asSignatureError(() => {
    const primary = verifySigner(signature, context);
    const isNeeded =
      options.rules.countersignature === "if-present" || isRescuable(primary, signature);
    if (!isNeeded || !hasRepositoryCountersignature(signature)) {
      return { valid: primary.status === "valid", issues: primary.issues };
    }
    const countersigner = countersignatureOf(signature);
    if (!countersigner) return { valid: primary.status === "valid", issues: primary.issues };
    const content = signature.signer.signature;
    const counter = verifySigner(countersigner, { ...context, content });
    return rescued(signature, primary, counter);
  });
}

const nothing = { kind: undefined, contentHash: undefined, archiveProblem: undefined } as const;

async function verifySigned(
  found: { file: PackageBytes; archive: Archive; signature: ParsedSignature },
  rules: PolicyRules,
  options: { readonly trust: Trust; readonly now: Date },
): Promise<Verification> {
  const { file, archive, signature } = found;
  const signers = verifySigners(signature, { rules, ...options });
  const { hash, value } = signature.content;
  const hashes = await contentHashes(file, archive, [...new Set([hash, "SHA512" as const])]);
  const isWhole = sameBytes(value, hashes[hash] ?? Buffer.alloc(0));
  const integrity: VerificationIssue[] = isWhole
    ? []
    : [{ level: "error", code: "NU3008", message: "The package was changed after it was signed." }];
  return {
    valid: signers.valid && isWhole,
    kind: signature.kind,
    contentHash: hashes.SHA512?.toString("base64"),
    issues: [...integrity, ...signers.issues],
    archiveProblem: undefined,
  };
}

/** A good countersignature forgives an untrusted or expired first signature. */
function rescued(
  signature: ParsedSignature,
  primary: SignerVerdict,
  counter: SignerVerdict,
): { readonly valid: boolean; readonly issues: readonly VerificationIssue[] } {
  const forgiven = new Set<string>();
  let isPrimaryValid = primary.status === "valid";
  if (counter.status === "valid" && isRescuable(primary, signature)) {
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

function isRescuable(primary: SignerVerdict, signature: ParsedSignature): boolean {
  return signature.kind !== "repository" && (primary.isUntrusted || primary.isExpired);
}

async function unsigned(
  file: PackageBytes,
  archive: Archive,
  rules: PolicyRules,
): Promise<Verification> {
  const { SHA512 } = await contentHashes(file, archive, ["SHA512"]);
  const contentHash = SHA512?.toString("base64");
  if (rules.allowUnsigned) return { ...nothing, valid: true, contentHash, issues: [] };
  const message = "The package is not signed.";
  const issues: VerificationIssue[] = [{ level: "error", code: "NU3004", message }];
  return { ...nothing, valid: false, contentHash, issues };
}

function illegal(error: SignatureError, rules: PolicyRules): Verification {
  const { code, message } = error;
  const level = rules.allowIllegal ? "warning" : "error";
  return { ...nothing, valid: rules.allowIllegal, issues: [{ level, code, message }] };
}

function parsedRoots(roots: readonly Uint8Array[] | "any"): TrustedRoots {
  return roots === "any" ? roots : roots.map(parseCertificate);
}
