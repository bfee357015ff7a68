import type { PackageBytes } from "../ports.ts";
import type { Seal, Sealer } from "../sealer/sealer.ts";
import { storageCodeOf } from "../stored-packages/verify-stored.ts";

/** Versions by their signatures: of one certificate, or of all but one. Lower-case hex. */
export type SealedBy = { readonly by: string } | { readonly notBy: string };

/** A version with the signature it is served with. */
export type SealedVersion = {
  readonly id: string;
  readonly version: string;
  readonly blob: { readonly key: string; readonly size: number; readonly sha256: string };
  readonly seal: Seal;
  /** Rises from one version to the next, in the order of `sealed`. */
  readonly cursor: number;
};

export interface SealedVersions {
  /** Versions after a cursor, at most `limit`; begin with 0. */
  sealed(
    which: SealedBy,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly SealedVersion[]>;
  /** Replaces the signature `seen` by another. `changed`: the version was deleted, or has other
   * bytes or another signature now; nothing happens.
   * @throws an error with the code "certificate-retired" */
  replace(
    sealedName: { readonly id: string; readonly version: string; readonly sha256: string },
    change: { readonly seen: Seal; readonly seal: Seal },
  ): Promise<"replaced" | "changed">;
}

/** The stored package files, by key; `end` is inclusive. */
export type StoredFiles = {
  read(key: string, range?: Parameters<PackageBytes["read"]>[0]): AsyncIterable<Uint8Array>;
};

export type ResignParts = {
  readonly seals: SealedVersions;
  readonly blobs: StoredFiles;
  readonly sealer: Pick<Sealer, "sealOnDownload">;
};

export type ResignRun = {
  readonly which: SealedBy;
  /** Reports the versions and changes nothing. */
  readonly dryRun: boolean;
  /** Versions to sign at most; undefined = all. */
  readonly limit: number | undefined;
  readonly signal: AbortSignal;
};

/** The outcome for one version. */
export type ResignStep = {
  readonly id: string;
  readonly version: string;
  /** SHA-256 of the certificate that had signed it, lower-case hex. */
  readonly signedBefore: string;
} & (
  | { readonly outcome: "planned" }
  | { readonly outcome: "signed"; readonly signedBy: string }
  /** The version was deleted, pushed again or signed again in the meantime. */
  | { readonly outcome: "changed" }
  /** The current policy does not sign this package; its signature stays. */
  | { readonly outcome: "kept"; readonly reason: string }
  | { readonly outcome: "failed"; readonly reason: string }
);

/** Versions read at once; their manifests and signatures are in memory. */
const VERSIONS_AT_ONCE = 50;
/** After this many failures the cause is probably common, such as a key service that is down. */
const FAILURES_IN_A_ROW_MAX = 10;

/** The run ended before its last version. */
export class ResigningStoppedError extends Error {
  override readonly name = "ResigningStoppedError";
  readonly code = "resigning-stopped";
}

/**
 * Signs versions again that one certificate, or any but one, has signed. Signatures are made from
 * the received file, so the content hash stays. A version is changed only if it still has the
 * signature that was read; hosts and other runs may work at the same time. A run can be stopped at
 * any moment; the next one continues.
 * @throws {ResigningStoppedError} after ten failures in a row
 */
export async function* resign(parts: ResignParts, run: ResignRun): AsyncGenerator<ResignStep> {
  let failures = 0;
  let signed = 0;
  for await (const sealedVersion of versions(parts, run.which)) {
    run.signal.throwIfAborted();
    if (signed === run.limit) return;
    const step = run.dryRun ? planned(sealedVersion) : await resignOne(parts, sealedVersion);
    if (step.outcome === "signed" || step.outcome === "planned") signed += 1;
    failures = step.outcome === "failed" ? failures + 1 : 0;
    yield step;
    if (step.outcome === "failed" && failures === FAILURES_IN_A_ROW_MAX) {
      throw new ResigningStoppedError(
        `Stopped after ${failures} failures in a row. The last one: ${step.reason}`,
      );
    }
  }
}

/** Numbers of versions by outcome. */
export type ResignCounts = Readonly<Record<ResignStep["outcome"], number>>;

/** Runs `resign` to its end and counts the outcomes. `onStep` can pause between two versions. */
export async function resignAndCount(
  parts: ResignParts,
  run: ResignRun,
  onStep: (step: ResignStep) => Promise<void>,
): Promise<ResignCounts> {
  const counts = { planned: 0, signed: 0, changed: 0, kept: 0, failed: 0 };
  for await (const step of resign(parts, run)) {
    counts[step.outcome] += 1;
    await onStep(step);
  }
  return counts;
}

async function* versions({ seals }: ResignParts, which: SealedBy): AsyncGenerator<SealedVersion> {
  let after = 0;
  for (;;) {
    const some = await seals.sealed(which, { after, limit: VERSIONS_AT_ONCE });
    yield* some;
    const last = some.at(-1);
    if (!last) return;
    after = last.cursor;
  }
}

function planned({ id, version, seal }: SealedVersion): ResignStep {
  return { id, version, signedBefore: seal.fingerprint, outcome: "planned" };
}

async function resignOne(
  { seals, blobs, sealer }: ResignParts,
  { id, version, blob, seal: seen }: SealedVersion,
): Promise<ResignStep> {
  const about = { id, version, signedBefore: seen.fingerprint };
  const { key, size, sha256 } = blob;
  const read = (range?: { readonly start: number; readonly end: number }) => blobs.read(key, range);
  try {
    const outcome = await sealer.sealOnDownload({ size, sha256, read }, { id, version });
    if (outcome.status === "sealed") {
      const { seal } = outcome;
      const replaced = await seals.replace({ id, version, sha256 }, { seen, seal });
      if (replaced === "changed") return { ...about, outcome: "changed" };
      return { ...about, outcome: "signed", signedBy: seal.fingerprint };
    }
    const lasts = outcome.status === "unsealed" && outcome.because !== "failure";
    const reason = outcome.status === "unsealed" ? outcome.warning : outcome.reason;
    const words = reason ?? "It was not signed.";
    return { ...about, outcome: lasts ? "kept" : "failed", reason: words };
  } catch (error) {
    if (!isOfThisVersion(error)) throw error;
    return { ...about, outcome: "failed", reason: error.message };
  }
}

/** Errors of one version: unreadable bytes, or a certificate that was retired just now. */
function isOfThisVersion(error: unknown): error is Error {
  if (storageCodeOf(error) !== undefined) return true;
  return error instanceof Error && "code" in error && error.code === "certificate-retired";
}
