import { createHash } from "node:crypto";
import type { Provenance, StoredPackage } from "@sealhouse/nuget-protocol";
import type { PackageBytes, PackageVerification, VerifyOptions } from "@sealhouse/repo-signing";
import { openSealed, SigningError, verifyPackage } from "@sealhouse/repo-signing";
import type { BlobStore } from "@sealhouse/storage-providers";
import { StorageError } from "@sealhouse/storage-providers";
import type { VerifyProblem, VerifyReport } from "./verify-report.ts";
import { reportOf } from "./verify-report.ts";

export type StoredContext = {
  readonly blobs: Pick<BlobStore, "read">;
  readonly options: VerifyOptions;
  /** Whether the feed signs what it serves, so that an unsigned version is worth a word. */
  readonly isSigning: boolean;
};

/**
 * Proves one version: that its stored bytes have the digests on record, and that the file made of
 * them and the seal, which is what clients get, has those on record and a right signature.
 */
export async function verifyStored(
  stored: StoredPackage,
  recorded: Provenance | undefined,
  { blobs, options, isSigning }: StoredContext,
): Promise<VerifyReport> {
  const { blob, seal } = stored;
  const file = `${stored.id}.${stored.version}.nupkg`.toLowerCase();
  const read = (range?: { readonly start: number; readonly end: number }) =>
    blobs.read(blob.key, range);
  const bytes = digestWhileRead({ size: blob.size, read });
  try {
    const received = { ...bytes.file, sha256: blob.sha256 };
    const served = digestWhileRead(seal ? openSealed(received, seal) : received);
    const verification = await verifyPackage(served.file, options);
    const signed = seal && recorded?.signed.find(({ replacedAt }) => !replacedAt)?.digests;
    const errors = [
      ...digestProblems("stored bytes have the SHA-256", await bytes.sha256(), blob.sha256),
      ...(signed
        ? digestProblems("signed file has the SHA-256", await served.sha256(), signed.sha256)
        : []),
      ...digestProblems(
        "package has the contentHash",
        verification.contentHash,
        recorded?.contentHash,
      ),
    ];
    return reportOf(file, verification, {
      errors,
      warnings: isSigning ? unsignedProblems(verification) : [],
    });
  } catch (error) {
    return reportOf(file, undefined, { errors: [brokenProblem(error)] });
  }
}

/** Nothing to say where one of the two is not known. */
function digestProblems(
  what: string,
  found: string | undefined,
  recorded: string | undefined,
): readonly VerifyProblem[] {
  if (found === undefined || recorded === undefined || found === recorded) return [];
  const message = `The ${what} ${found}, and ${recorded} is on record.`;
  return [{ code: "DIGEST_MISMATCH", message }];
}

function unsignedProblems({ signatureType }: PackageVerification): readonly VerifyProblem[] {
  if (signatureType !== "none") return [];
  const message = "The version is not signed yet; its first download signs it.";
  return [{ code: "NU3004", message }];
}

/** What the store or the seal has lost is a finding about this version; all else is a failure. */
function brokenProblem(error: unknown): VerifyProblem {
  if (error instanceof SigningError) return { code: "SEAL_BROKEN", message: error.message };
  if (!(error instanceof StorageError)) throw error;
  const code = error.code === "storage-not-found" ? "BYTES_MISSING" : "UNREADABLE";
  return { code, message: error.message };
}

/**
 * The same file, hashed as it is read from its beginning on, so that proving its digest costs no
 * second pass: what was not read in order by the end is read then.
 */
function digestWhileRead(source: PackageBytes): {
  readonly file: PackageBytes;
  /** Lower-case hex; to be asked for once, when `file` was read. */
  sha256(): Promise<string>;
} {
  const hash = createHash("sha256");
  let hashed = 0;
  async function* reading(range?: { readonly start: number; readonly end: number }) {
    let at = range?.start ?? 0;
    for await (const chunk of source.read(range)) {
      const end = at + chunk.length;
      if (at <= hashed && hashed < end) {
        hash.update(chunk.subarray(hashed - at));
        hashed = end;
      }
      at = end;
      yield chunk;
    }
  }
  return {
    file: { size: source.size, read: reading },
    async sha256() {
      if (hashed < source.size) {
        for await (const chunk of source.read({ start: hashed, end: source.size - 1 })) {
          hash.update(chunk);
        }
      }
      return hash.digest("hex");
    },
  };
}
