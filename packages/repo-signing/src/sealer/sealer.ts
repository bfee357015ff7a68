import type { MirrorSignatures, SignOutcome } from "../sign/sign-package.ts";
import { signPackage } from "../sign/sign-package.ts";
import type { CertificateFacts, CertificateLedger, PackageBytes, Signer } from "../ports.ts";
import { SigningError } from "../errors.ts";
import { ModeSettingError } from "../signer/signing-mode.ts";
import type {
  SignaturePolicy,
  SigningFailure,
  SigningMoment,
  SigningOrigin,
  SigningStep,
} from "../sign/signing-step.ts";
import { signingStep } from "../sign/signing-step.ts";
import { encodePlan } from "../splice/plan-codec.ts";
import { signedDigests } from "../splice/signed-digests.ts";
import type { HashedBytes, SignedDigests } from "../splice/signed-digests.ts";
import type { Timestamper } from "../timestamp/client.ts";
import { certificateRecordOf } from "../x509/certificate-record.ts";

/** A repository signature for one stored file, ready to be kept. */
export type Seal = {
  readonly plan: Uint8Array;
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string;
  /** Size of the signed file in bytes. */
  readonly size: number;
  readonly signedAt: Date;
  /** Digests of the signed file, for a package that was signed at its arrival. At a download, the
   * file is not read twice. */
  readonly digests?: SignedDigests;
};

/** Result of signing one package. `contentHash`: base64 SHA-512 without any signature, of a package
 * that came signed. */
export type SealOutcome =
  | {
      readonly status: "sealed";
      readonly seal: Seal;
      readonly warning?: string;
      readonly contentHash?: string;
    }
  /**
   * `because` of what the package carries, which stays so, of a failure to sign it, or of the
   * policy of its source, which keeps its signature.
   */
  | {
      readonly status: "unsealed";
      readonly warning?: string;
      readonly because?: "package" | "failure" | "policy";
      readonly contentHash?: string;
    }
  | { readonly status: "refused"; readonly reason: string }
  | { readonly status: "failed"; readonly reason: string; readonly retryAfterSeconds?: number };

/** Id and version of a package. */
export type PackageIdentity = { readonly id: string; readonly version: string };

/** Signs packages of a feed: at the push, at the first download, and again after a rotation. */
export type Sealer = {
  /** Decides and signs before a pushed package is stored. */
  seal(
    file: HashedBytes & { readonly sha256: string },
    pushedPackage: PushedPackage,
  ): Promise<SealOutcome>;
  /** Signs a stored package that has no seal yet. `refused` does not occur. */
  sealOnDownload(
    file: PackageBytes & { readonly sha256: string },
    storedPackage: StoredIdentity,
  ): Promise<SealOutcome>;
};

/** A stored package. */
export type StoredIdentity = PackageIdentity & {
  /** For a package of a source. */
  readonly mirror?: MirrorSignatures | undefined;
  /** Names of the owners, which the signature states. Default: none. */
  readonly owners?: readonly string[] | undefined;
};

/** A package at its arrival. */
export type PushedPackage = StoredIdentity & {
  /** Default `published`. */
  readonly origin?: SigningOrigin;
};

/** Dependencies and policies of a sealer. */
export type SealerOptions = {
  /** Called for every package; keep the signer open behind it (`createSelfSigned` does). */
  readonly signer: () => Promise<Signer>;
  readonly ledger: CertificateLedger;
  /** Absolute https address of the feed's service index. */
  readonly serviceIndexUrl: string;
  readonly policy: SignaturePolicy;
  readonly timestamp?: {
    readonly stamp: Timestamper;
    readonly onFailure: "fail" | "sign-without";
  };
  /** Self-signed mode lets a package pass unsigned with a warning; the others fail. */
  readonly onFailure: "let-pass" | "fail";
  /** The operator wants clients to hear that every package is signed: then a download fails, too,
   * where it would otherwise be served unsigned. Default false. */
  readonly promisesAllSigned?: boolean;
  /** Puts the certificate of another repository on record, before the package that it signed
   * leaves. */
  readonly noteKept?: (certificate: CertificateFacts) => Promise<void>;
  readonly now: () => Date;
};

const RETRY_AFTER_SECONDS = 30;
const USAGE_NOTED_EVERY_MS = 60 * 1000;

/** Ties signer, policy and ledger together. A certificate is on record before a seal leaves. */
export function createSealer(options: SealerOptions): Sealer {
  const notedAt = new Map<string, number>();
  const noteUsage = async (signer: Signer, fingerprint: string, time: Date): Promise<void> => {
    const last = notedAt.get(fingerprint) ?? Number.NEGATIVE_INFINITY;
    const [der] = signer.chain;
    if (!der || time.getTime() - last < USAGE_NOTED_EVERY_MS) return;
    await options.ledger.used(certificateRecordOf(der), time);
    notedAt.set(fingerprint, time.getTime());
  };
  const seal = async (
    file: HashedBytes & { readonly sha256: string },
    how: Attempt,
  ): Promise<SealOutcome> => {
    const opened = await openSigner(options.signer);
    if ("status" in opened) return afterFailure(opened, how, options);
    const now = options.now();
    const outcome = await signPackage({
      file,
      sha256: file.sha256,
      signer: opened.signer,
      serviceIndexUrl: options.serviceIndexUrl,
      now,
      policy: options.policy,
      ...how,
      ...(options.timestamp && { timestamp: options.timestamp }),
    });
    if (outcome.status === "sealed") await noteUsage(opened.signer, outcome.fingerprint, now);
    if (outcome.status === "kept" && outcome.certificate) {
      await options.noteKept?.(certificateRecordOf(outcome.certificate));
    }
    const told = sealOutcome(outcome, how, options);
    if (outcome.status !== "sealed" || told.status !== "sealed" || how.moment === "download") {
      return told;
    }
    const digests = await signedDigests(file, outcome.plan);
    return { ...told, seal: { ...told.seal, digests } };
  };
  return {
    seal: (file, { origin = "published", mirror, owners }) =>
      seal(file, { moment: "upload", origin, mirror, owners }),
    // Apart from the policy of its source, its origin makes no difference from here.
    sealOnDownload: (file, { mirror, owners }) =>
      seal(file, { moment: "download", origin: "published", mirror, owners }),
  };
}

type Attempt = Pick<StoredIdentity, "mirror" | "owners"> & {
  readonly moment: SigningMoment;
  readonly origin: SigningOrigin;
};
type AfterFailure = Pick<SealerOptions, "onFailure" | "policy" | "promisesAllSigned">;
type Failed = Extract<SignOutcome, { readonly status: "failed" }>;

async function openSigner(open: () => Promise<Signer>): Promise<{ signer: Signer } | Failed> {
  try {
    return { signer: await open() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // An unknown error may be temporary; known errors have `retryable`.
    const isSetting = error instanceof ModeSettingError;
    const retryable = error instanceof SigningError ? error.retryable : !isSetting;
    return { status: "failed", reason, retryable };
  }
}

function sealOutcome(outcome: SignOutcome, how: Attempt, options: AfterFailure): SealOutcome {
  switch (outcome.status) {
    case "sealed": {
      const { plan, fingerprint, size, signedAt, warning } = outcome;
      const seal = { plan: encodePlan(plan), fingerprint, size, signedAt };
      const told = { ...(warning !== undefined && { warning }), ...contentHashOf(outcome) };
      return { status: "sealed", seal, ...told };
    }
    case "kept":
      return { status: "unsealed", because: "policy", ...contentHashOf(outcome) };
    case "as-is": {
      const done = how.moment === "upload" ? "Stored" : "Served";
      const warning = `${done} unchanged: ${outcome.reason}`;
      return { status: "unsealed", warning, because: "package" };
    }
    case "refused":
      return { status: "refused", reason: outcome.reason };
    case "failed":
      return afterFailure(outcome, how, options);
  }
}

function contentHashOf({ contentHash }: { readonly contentHash?: string }) {
  return contentHash === undefined ? {} : { contentHash };
}

function afterFailure({ reason, retryable }: Failed, how: Attempt, options: AfterFailure) {
  const failure: SigningFailure = retryable ? "passing" : "lasting";
  const step = signingStep({
    moment: how.moment,
    origin: how.origin,
    ...options,
    signing: options.onFailure === "let-pass" ? "self-signed" : "provided",
    // It may be anything that was to be signed.
    existing: "none",
    failure,
  });
  return outcomeOf(step, reason);
}

function outcomeOf(step: SigningStep, reason: string): SealOutcome {
  if (step === "leave-with-warning") {
    return { status: "unsealed", warning: `Not signed: ${reason}`, because: "failure" };
  }
  if (step !== "refuse-for-now") return { status: "failed", reason };
  return { status: "failed", reason, retryAfterSeconds: RETRY_AFTER_SECONDS };
}
