import type { Database, SealedBy, SealedVersion } from "@sealhouse/database";
import { errorCodeOf } from "@sealhouse/http-responses";
import type { Sealer } from "@sealhouse/repo-signing";
import type { BlobStore } from "@sealhouse/storage-providers";

export type ResignParts = {
  readonly seals: Pick<Database["nuget"]["seals"], "sealed" | "replace">;
  readonly blobs: Pick<BlobStore, "read">;
  readonly sealer: Pick<Sealer, "sealOnDownload">;
};

export type ResignRun = {
  readonly which: SealedBy;
  /** Says what would be signed again, and changes nothing. */
  readonly dryRun: boolean;
  /** Versions to sign at most; undefined = all. */
  readonly limit: number | undefined;
  readonly signal: AbortSignal;
};

/** What became of one version. */
export type ResignStep = {
  readonly id: string;
  readonly version: string;
  /** SHA-256 of the certificate that had signed it, lower-case hex. */
  readonly signedBefore: string;
} & (
  | { readonly outcome: "planned" }
  | { readonly outcome: "signed"; readonly signedBy: string }
  /** Somebody deleted it, pushed it again or signed it again meanwhile. */
  | { readonly outcome: "changed" }
  /** Today's policy leaves alone what it carries; its signature stays. */
  | { readonly outcome: "kept"; readonly reason: string }
  | { readonly outcome: "failed"; readonly reason: string }
);

/** Memory holds so many versions' manifests and signatures at once. */
const VERSIONS_AT_ONCE = 50;
/** Whatever is wrong then is wrong for all of them: the key service is out, say. */
const FAILURES_IN_A_ROW_MAX = 10;

/** It makes no sense to try the versions that are left. */
export class ResigningStoppedError extends Error {
  override readonly name = "ResigningStoppedError";
  readonly code = "resigning-stopped";
}

/**
 * Signs again the versions that a certificate, or any but one, vouches for: one after the other,
 * from what was received, so the content hash stays. Beside a host that serves, and beside another
 * run, a version is signed only if it has the signature that was seen. What is done is not done
 * again by the next run, so it can be stopped at any moment.
 * @throws {ResigningStoppedError} after ten failures in a row
 */
export async function* resign(parts: ResignParts, run: ResignRun): AsyncGenerator<ResignStep> {
  let failures = 0;
  let signed = 0;
  for await (const found of versions(parts, run.which)) {
    run.signal.throwIfAborted();
    if (signed === run.limit) return;
    const step = run.dryRun ? planned(found) : await resignOne(parts, found);
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
    const lasts = outcome.status === "unsealed" && outcome.because === "package";
    const reason = outcome.status === "unsealed" ? outcome.warning : outcome.reason;
    const words = reason ?? "It was not signed.";
    return { ...about, outcome: lasts ? "kept" : "failed", reason: words };
  } catch (error) {
    if (!isOfThisVersion(error)) throw error;
    return { ...about, outcome: "failed", reason: error.message };
  }
}

/** Its bytes cannot be read, or its certificate has just been retired: others may do. */
function isOfThisVersion(error: unknown): error is Error {
  const code = errorCodeOf(error) ?? "";
  return code === "certificate-retired" || code.startsWith("storage-");
}
