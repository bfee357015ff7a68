import type { ZipArchive } from "@sealhouse/zip-archive";
import { readArchive } from "../archive/archive.ts";
import { contentHashes } from "../splice/content-hash.ts";
import { withTail } from "../archive/package-bytes.ts";
import { readSignatureEntry, signatureEntryOf } from "../archive/signature-entry.ts";
import type { NuGetCode } from "../errors.ts";
import { ArchiveError, SignatureError, SigningError, TimestampError } from "../errors.ts";
import { sameBytes } from "../hash.ts";
import type { PackageBytes, Signer } from "../ports.ts";
import { checkResult } from "./check-result.ts";
import type { SigningInput, Stamp } from "../signature/create-signature.ts";
import { createCountersignature, createPrimarySignature } from "../signature/create-signature.ts";
import type { ParsedSignature } from "../signature/parse-signature.ts";
import {
  countersignatureOf,
  hasRepositoryCountersignature,
  parseSignature,
} from "../signature/parse-signature.ts";
import type {
  Existing,
  MirrorPolicy,
  SignaturePolicy,
  SigningMoment,
  SigningOrigin,
  SigningStep,
} from "./signing-step.ts";
import { signingStep } from "./signing-step.ts";
import { planInsert, planReplace } from "../splice/edit-signature.ts";
import type { SplicePlan } from "../splice/splice-plan.ts";
import { splicedSize } from "../splice/splice-plan.ts";
import type { Timestamper } from "../timestamp/client.ts";
import { verifySigners } from "../verify/verify-signature.ts";
import type { Certificate } from "../x509/certificate.ts";
import { usableCertificate } from "../x509/usable-certificate.ts";

/** A package to sign, with signer, policy and timestamping. */
export type SignRequest = {
  readonly file: PackageBytes;
  /** SHA-256 of the received file, lower-case hex. */
  readonly sha256: string;
  readonly signer: Signer;
  /** Absolute https address of the feed's service index. */
  readonly serviceIndexUrl: string;
  readonly now: Date;
  readonly policy: SignaturePolicy;
  readonly moment: SigningMoment;
  /** Default `published`. */
  readonly origin?: SigningOrigin;
  readonly mirror?: MirrorSignatures | undefined;
  /** Names of the owners, which the signature states. Default: none. */
  readonly owners?: readonly string[] | undefined;
  readonly timestamp?: {
    readonly stamp: Timestamper;
    readonly onFailure: "fail" | "sign-without";
  };
};

/** Rules for the signatures of a package source. */
export type MirrorSignatures = {
  readonly policy: MirrorPolicy;
  /** SHA-256 of its trusted certificates, lower-case hex. */
  readonly trustedCertificates: readonly string[];
};

/** Result of `signPackage`. */
export type SignOutcome =
  | {
      readonly status: "sealed";
      readonly plan: SplicePlan;
      /** Size of the signed file in bytes. */
      readonly size: number;
      /** SHA-256 of the signing certificate, lower-case hex. */
      readonly fingerprint: string;
      readonly signedAt: Date;
      /** Reason for a missing timestamp, when the request allows that. */
      readonly warning?: string;
      /** Base64 SHA-512 without its signatures, for a package that came signed. */
      readonly contentHash?: string;
    }
  /** Stays unchanged with the signature of another repository. `certificate`: who made it, DER. */
  | {
      readonly status: "kept";
      readonly reason: string;
      readonly certificate: Uint8Array | undefined;
      /** Base64 SHA-512 of the package without its signatures, when it was read. */
      readonly contentHash?: string;
    }
  /** Stays unchanged: its signature cannot be replaced. */
  | { readonly status: "as-is"; readonly reason: string }
  | { readonly status: "refused"; readonly reason: string; readonly code?: NuGetCode }
  | { readonly status: "failed"; readonly reason: string; readonly retryable: boolean };

/**
 * Puts the repository's signature on a package: plans the signed file, copies nothing. An unsigned
 * package is not read beyond its central directory; a signed one is read once, to check its hash:
 * signing what a signature merely claims would sign whatever its maker likes. Throws only when
 * `file` cannot be read.
 */
export async function signPackage(request: SignRequest): Promise<SignOutcome> {
  try {
    const file = withTail(request.file);
    const archive = await readArchive(file);
    const inspection = await inspect({ ...request, file }, archive);
    switch (stepOf(request, inspection)) {
      case "keep":
        return kept(inspection);
      case "refuse-signed":
        return { status: "refused", reason: ALREADY_SIGNED };
      case "refuse-broken":
        return refusal(inspection.fault);
      case "leave":
      case "leave-with-warning":
        return { status: "as-is", reason: inspection.fault?.message ?? ALREADY_SIGNED };
      // The remaining steps sign: nothing has failed yet.
      default:
        return await sealed({ ...request, file }, archive, inspection);
    }
  } catch (error) {
    if (error instanceof SigningError) {
      return { status: "failed", reason: error.message, retryable: error.retryable };
    }
    // A truncated source cannot be distinguished from a truncated package; both count as a fault of
    // the package.
    if (error instanceof ArchiveError) return refusal(error);
    throw error;
  }
}

function stepOf(
  { policy, moment, origin = "published", mirror }: SignRequest,
  inspection: Pick<Inspection, "existing" | "signature">,
): SigningStep {
  const fingerprint = mirror && repositoryCertificate(inspection)?.fingerprint;
  return signingStep({
    // Who provides the certificate matters only when signing fails, and then to the caller.
    signing: "provided",
    moment,
    existing: inspection.existing,
    policy,
    origin,
    mirror: mirror && {
      policy: mirror.policy,
      isTrusted: fingerprint !== undefined && mirror.trustedCertificates.includes(fingerprint),
    },
  });
}

/** The certificate of the repository that signed or countersigned the package. */
function repositoryCertificate({
  existing,
  signature,
}: Pick<Inspection, "existing" | "signature">): Certificate | undefined {
  if (!signature) return undefined;
  return existing === "countersigned"
    ? countersignatureOf(signature)?.certificate
    : signature.certificate;
}

function kept(inspection: Inspection): SignOutcome {
  const reason = "the signature of its source stays";
  const certificate = repositoryCertificate(inspection)?.der;
  return { status: "kept", reason, certificate, ...contentOf(inspection) };
}

/** The content hash as lock files have it, when the package was read. */
function contentOf({ contentSha512 }: Inspection): { readonly contentHash?: string } {
  return contentSha512 ? { contentHash: contentSha512.toString("base64") } : {};
}

const ALREADY_SIGNED = "package already has a repository signature";

type Inspection = {
  readonly existing: Existing;
  readonly signature?: ParsedSignature;
  readonly fault?: SignatureError | ArchiveError;
  /** SHA-256 of the package without its signature. */
  readonly contentHash: Buffer;
  /** SHA-512 of the same, of a package that came signed. */
  readonly contentSha512?: Buffer | undefined;
};

/** Signatures of the package, and whether they are intact. */
async function inspect(request: SignRequest, archive: ZipArchive): Promise<Inspection> {
  const { file, sha256, now } = request;
  try {
    const entry = signatureEntryOf(archive);
    if (!entry) return { existing: "none", contentHash: hexDigest(sha256) };
    const signature = parseSignature(await readSignatureEntry(file, entry));
    const existing = hasRepositoryCountersignature(signature) ? "countersigned" : signature.kind;
    if (request.moment === "download" && isLeft(stepOf(request, { existing, signature }))) {
      // Nothing will be signed, so the rest need not be verified.
      return { existing, signature, contentHash: Buffer.alloc(0) };
    }
    refuseBroken(signature, now);
    const { hash, value } = signature.content;
    const wanted = new Set([hash, "SHA256", "SHA512"] as const);
    const hashes = await contentHashes(file, archive, [...wanted]);
    const { SHA256: contentHash = Buffer.alloc(0), SHA512: contentSha512 } = hashes;
    if (!sameBytes(value, hashes[hash] ?? Buffer.alloc(0))) {
      throw new SignatureError("NU3008", "The package was changed after it was signed.");
    }
    return { existing, signature, contentHash, contentSha512 };
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return { existing: "broken", fault: error, contentHash: Buffer.alloc(0) };
  }
}

function isLeft(step: SigningStep): boolean {
  return step === "keep" || step === "leave-with-warning";
}

/**
 * Broken means that no client installs it, whatever its trust; expired and untrusted are not
 * broken.
 */
function refuseBroken(signature: ParsedSignature, now: Date): void {
  const { valid, issues } = verifySigners(signature, {
    rules: {
      allowUnsigned: false,
      allowIllegal: false,
      allowUntrusted: true,
      allowInvalidTimestamp: true,
      countersignature: "if-present",
    },
    trust: { codeSigning: "any", timestamping: "any" },
    now,
  });
  const [issue] = issues.filter((candidate) => candidate.level === "error");
  if (!valid && issue) throw new SignatureError(issue.code, issue.message);
}

async function sealed(
  request: SignRequest,
  archive: ZipArchive,
  inspection: Inspection,
): Promise<SignOutcome> {
  const { signer, now } = request;
  const certificate = usableCertificate(signer, now);
  const signedAt = new Date(Math.floor(now.getTime() / 1000) * 1000);
  const stamped = stampOf(request.timestamp);
  const bytes = await createSignature(inspection, {
    signer,
    certificate,
    signedAt,
    kind: "repository",
    serviceIndexUrl: checkedServiceIndexUrl(request.serviceIndexUrl),
    packageOwners: request.owners ?? [],
    timestamp: stamped.stamp,
  });
  const planned = inspection.signature ? planReplace : planInsert;
  const plan = planned(archive, bytes, now);
  await checkResult(plan, { ...request, ...inspection, certificate, bytes });
  return {
    status: "sealed",
    plan,
    size: splicedSize(plan),
    fingerprint: certificate.fingerprint,
    signedAt,
    ...stamped.warning(),
    ...contentOf(inspection),
  };
}

/** The timestamp by the request, with the warning for a missing one. */
function stampOf(timestamp: SignRequest["timestamp"]): {
  readonly stamp: Stamp | undefined;
  readonly warning: () => { readonly warning?: string };
} {
  let warning: string | undefined;
  const stamp: Stamp | undefined =
    timestamp &&
    (async (signature, within) => {
      try {
        return await timestamp.stamp(signature, { within });
      } catch (error) {
        if (timestamp.onFailure === "fail" || !(error instanceof TimestampError)) throw error;
        warning = `Signed without a timestamp: ${error.message}`;
        return undefined;
      }
    });
  return { stamp, warning: () => (warning === undefined ? {} : { warning }) };
}

async function createSignature(
  { signature, contentHash }: Inspection,
  input: SigningInput,
): Promise<Uint8Array> {
  try {
    return signature && signature.kind !== "repository"
      ? await createCountersignature(signature, input)
      : await createPrimarySignature({ hash: "SHA256", value: contentHash }, input);
  } catch (error) {
    if (error instanceof SigningError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new SigningError("signer", `The key did not sign: ${why}`, {
      retryable: true,
      cause: error,
    });
  }
}

function refusal(fault: SignatureError | ArchiveError | undefined): SignOutcome {
  if (!fault) return { status: "refused", reason: ALREADY_SIGNED };
  const { message } = fault;
  const code = fault instanceof ArchiveError ? fault.nugetCode : fault.code;
  if (code === undefined) return { status: "refused", reason: message };
  return { status: "refused", code, reason: `${code}: ${message}` };
}

function checkedServiceIndexUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "https:" && /^[\u0021-\u007e]+$/.test(url.href)) return url.href;
  throw new SigningError(
    "service-index-url",
    `Clients accept only an https address of the service index in signatures, not “${text}”.`,
  );
}

function hexDigest(sha256: string): Buffer {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError("sha256 must be 64 hex digits.");
  return Buffer.from(sha256, "hex");
}
