import type { ZipArchive } from "@sealhouse/zip-archive";
import { readArchive } from "../archive/archive.ts";
import { contentHashes } from "../splice/content-hash.ts";
import {
  locateSignatureEntry,
  readSignatureEntry,
  signatureEntryOf,
} from "../archive/signature-entry.ts";
import type { ArchiveProblem } from "../errors.ts";
import { ArchiveError, SignatureError } from "../errors.ts";
import type { HashName } from "../hash.ts";
import { sameBytes } from "../hash.ts";
import type { PackageBytes } from "../ports.ts";
import type { SignatureKind } from "../signature/nuget-attributes.ts";
import type { ParsedSignature, ParsedSigner } from "../signature/parse-signature.ts";
import { countersignatureOf, parseSignature } from "../signature/parse-signature.ts";
import type { SignerFacts } from "../signature/signer-facts.ts";
import { signerFacts } from "../signature/signer-facts.ts";
import type { RepositorySignatures, TrustedSigner } from "./allow-list.ts";
import { isRootExempt, repositoryIssues, trustedSignerIssues } from "./allow-list.ts";
import type { PolicyRules, VerificationPolicy } from "./policy.ts";
import { rulesFor } from "./policy.ts";
import { verifySigners } from "./verify-signature.ts";
import type { VerificationIssue } from "./verify-signer.ts";

/** Trust, policy and time of a verification. */
export type VerifyOptions = {
  /** Root certificates for code signing, DER, or `"any"` to leave trust out of the question. */
  readonly roots: readonly Uint8Array[] | "any";
  /** The same for timestamps. */
  readonly timestampRoots: readonly Uint8Array[] | "any";
  /** The current time, which applies to signatures without a timestamp. */
  readonly now: Date;
  /** Default `verify`, as strict as `dotnet nuget verify`. */
  readonly policy?: VerificationPolicy | PolicyRules;
  /** Trusted signers of a nuget.config. Default: every signer is accepted. */
  readonly trustedSigners?: readonly TrustedSigner[];
  /** Signing certificates (SHA-256, lower-case hex) that are trusted themselves, whatever issued
   * them; default none. */
  readonly trustedCertificates?: ReadonlySet<string>;
  /** The feed's RepositorySignatures resource; default none. */
  readonly repository?: RepositorySignatures;
  /**
   * Whether to compute the contentHash, default true. It costs a SHA-512 of the package in addition
   * to the digest of the signature; without it, verification reads little of an unsigned package.
   */
  readonly contentHash?: boolean;
};

/** Type of a package's signature in a verification. */
export type SignatureType = "Author" | "Repository" | "Unknown" | "none";

/** Everything a verification found out. A bad package is a result, not an error. */
export type PackageVerification = {
  /** Whether a client with this policy and these roots would take the package. */
  readonly valid: boolean;
  /** Facts of the first signer; undefined when a signature cannot be read. */
  readonly signatureType: SignatureType | undefined;
  /**
   * Base64 SHA-512 of the package without its signature, as in lock files; undefined when it was
   * not requested or the archive cannot be read.
   */
  readonly contentHash: string | undefined;
  /** The first signer. */
  readonly signer: SignerFacts | undefined;
  /** The repository that countersigned. */
  readonly countersignature: SignerFacts | undefined;
  /** In the client's order, with its codes. */
  readonly issues: readonly VerificationIssue[];
  /**
   * Set when the file is not an archive that a client would open; the client has no code for most
   * of these problems.
   */
  readonly archiveProblem:
    | { readonly problem: ArchiveProblem; readonly message: string }
    | undefined;
};

/**
 * Verifies a package with the verdict and the codes of the NuGet client. Reads the file once and by
 * ranges, and memory does not grow with it. Only a failing source throws, with its own error.
 */
export async function verifyPackage(
  file: PackageBytes,
  options: VerifyOptions,
): Promise<PackageVerification> {
  try {
    const archive = await readArchive(file);
    const finding = await findSignature(file, archive);
    const hashes = await hashesOf(file, archive, {
      finding,
      isWanted: options.contentHash ?? true,
    });
    const contentHash = hashes.SHA512?.toString("base64");
    const judged = { ...judge(finding, hashes, options), archiveProblem: undefined };
    return options.contentHash === false ? judged : { ...judged, contentHash };
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return noArchive(error);
  }
}

type SignatureFinding =
  | { readonly status: "unsigned" }
  | { readonly status: "signed"; readonly signature: ParsedSignature }
  | { readonly status: "illegal"; readonly fault: SignatureError };

type Hashes = Readonly<Partial<Record<HashName, Buffer>>>;
type SignatureVerdict = Omit<PackageVerification, "archiveProblem">;

async function findSignature(file: PackageBytes, archive: ZipArchive): Promise<SignatureFinding> {
  try {
    const entry = signatureEntryOf(archive);
    if (!entry) return { status: "unsigned" };
    const signature = parseSignature(await readSignatureEntry(file, entry));
    return { status: "signed", signature };
  } catch (fault) {
    if (fault instanceof SignatureError) return { status: "illegal", fault };
    throw fault;
  }
}

/** The package hash and the contentHash, in one pass; no pass when neither is needed. */
async function hashesOf(
  file: PackageBytes,
  archive: ZipArchive,
  { finding, isWanted }: { readonly finding: SignatureFinding; readonly isWanted: boolean },
): Promise<Hashes> {
  const names = new Set<HashName>(isWanted ? ["SHA512"] : []);
  if (finding.status === "signed") names.add(finding.signature.content.hash);
  if (names.size === 0 || !isSplittable(archive)) return {};
  return contentHashes(file, archive, [...names]);
}

/** Not when several entries claim to be the signature. */
function isSplittable(archive: ZipArchive): boolean {
  try {
    locateSignatureEntry(archive);
    return true;
  } catch (error) {
    if (error instanceof SignatureError) return false;
    throw error;
  }
}

function judge(
  finding: SignatureFinding,
  hashes: Hashes,
  options: VerifyOptions,
): SignatureVerdict {
  const rules = rulesFor(
    options.policy ?? "verify",
    options.repository?.allRepositorySigned ?? false,
  );
  switch (finding.status) {
    case "unsigned":
      return unsigned(rules);
    case "illegal":
      return { ...NOTHING, ...illegal(finding.fault, rules) };
    case "signed":
      return signed(finding.signature, hashes, { ...options, rules });
  }
}

const NOTHING = {
  signatureType: undefined,
  contentHash: undefined,
  signer: undefined,
  countersignature: undefined,
} as const;

function unsigned(rules: PolicyRules): SignatureVerdict {
  const message = "The package is not signed.";
  return {
    ...NOTHING,
    valid: rules.allowUnsigned,
    signatureType: "none",
    issues: rules.allowUnsigned ? [] : [{ level: "error", code: "NU3004", message }],
  };
}

const TYPE_OF_KIND: Readonly<Record<SignatureKind, SignatureType>> = {
  author: "Author",
  repository: "Repository",
  unknown: "Unknown",
};

type Judging = VerifyOptions & { readonly rules: PolicyRules };

/** The client's order: integrity, its own list, trust and time, the feed's list. */
function signed(signature: ParsedSignature, hashes: Hashes, judging: Judging): SignatureVerdict {
  const { hash, value } = signature.content;
  const isWhole = sameBytes(value, hashes[hash] ?? Buffer.alloc(0));
  const signers = judgeSigners(signature, judging);
  const changed = "The package was changed after it was signed.";
  const integrity: readonly VerificationIssue[] = isWhole
    ? []
    : [{ level: "error", code: "NU3008", message: changed }];
  return {
    ...NOTHING,
    ...signers,
    valid: signers.valid && isWhole,
    signatureType: TYPE_OF_KIND[signature.kind],
    signer: readableFacts(signature),
    issues: [...integrity, ...signers.issues],
  };
}

function judgeSigners(
  signature: ParsedSignature,
  judging: Judging,
): Pick<SignatureVerdict, "valid" | "issues"> &
  Partial<Pick<SignatureVerdict, "countersignature">> {
  const { rules, roots, timestampRoots, now, trustedSigners = [], repository } = judging;
  try {
    const countersigner = readableCountersigner(signature);
    const signers = { primary: signature, countersigner };
    const level = rules.allowUntrusted ? "warning" : "error";
    const trust = { codeSigning: roots, timestamping: timestampRoots };
    const own = verifySigners(signature, {
      rules,
      trust,
      now,
      isExempt: (fingerprint) =>
        isRootExempt(trustedSigners, fingerprint) ||
        (judging.trustedCertificates?.has(fingerprint) ?? false),
    });
    const isNeeded = rules.requireTrustedSigner ?? false;
    const before = trustedSignerIssues(trustedSigners, signers, { isNeeded, level });
    const after = repository ? repositoryIssues(repository, signers, level) : [];
    const isListed = [...before, ...after].every((issue) => issue.level === "warning");
    return {
      valid: own.valid && isListed,
      issues: [...before, ...own.issues, ...after],
      ...(countersigner && { countersignature: readableFacts(countersigner) }),
    };
  } catch (fault) {
    if (fault instanceof SignatureError) return illegal(fault, rules);
    throw fault;
  }
}

function illegal(
  { code, message }: SignatureError,
  { allowIllegal }: PolicyRules,
): Pick<SignatureVerdict, "valid" | "issues"> {
  return {
    valid: allowIllegal,
    issues: [{ level: allowIllegal ? "warning" : "error", code, message }],
  };
}

/** The issues tell about one that cannot be read, where the policy looks at it. */
function readableCountersigner(signature: ParsedSignature): ParsedSigner | undefined {
  try {
    return countersignatureOf(signature);
  } catch (error) {
    if (error instanceof SignatureError) return undefined;
    throw error;
  }
}

/** The issues report unreadable timestamps; here they are omitted. */
function readableFacts(signer: ParsedSigner): SignerFacts {
  try {
    return signerFacts(signer);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return signerFacts({ ...signer, signer: { ...signer.signer, unsignedAttributes: [] } });
  }
}

function noArchive({ problem, nugetCode: code, message }: ArchiveError): PackageVerification {
  const issues: VerificationIssue[] = code === undefined ? [] : [{ level: "error", code, message }];
  return { ...NOTHING, valid: false, issues, archiveProblem: { problem, message } };
}
