import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ArchiveError, contentHash, packageFileBytes } from "@sealhouse/repo-signing";
import type { FileDigests } from "../model/release.ts";
import type { MemberFile } from "./contents.ts";

/** Signatures of a package are smaller than this. */
const SIGNATURES_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Returns the digests of a package of another feed that has our content: one of the known SHA-512
 * (hex), or the same entries when signatures are left out. A feed may have replaced or added a
 * repository signature.
 */
export async function samePackage(
  theirs: AsyncIterable<Uint8Array>,
  { known, ours }: { readonly known: readonly string[]; readonly ours: MemberFile },
): Promise<FileDigests | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-compare-"));
  try {
    const path = join(folder, "theirs.nupkg");
    const digests = await saved(theirs, path, ours.size + SIGNATURES_MAX_BYTES);
    if (!digests || known.includes(digests.sha512)) return digests;
    const own = join(folder, "ours.nupkg");
    await saved(ours.read(), own, ours.size);
    const [left, right] = [await contentHashOf(path), await contentHashOf(own)];
    return left !== undefined && right !== undefined && left.equals(right) ? digests : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the digests; undefined when there are more bytes than the package can have. */
async function saved(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  maxBytes: number,
): Promise<FileDigests | undefined> {
  const [sha256, sha512] = [createHash("sha256"), createHash("sha512")];
  let size = 0;
  const limited = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > maxBytes) return;
      sha256.update(chunk);
      sha512.update(chunk);
      yield chunk;
    }
  };
  await pipeline(limited, createWriteStream(path));
  if (size > maxBytes) return undefined;
  return { sha256: sha256.digest("hex"), sha512: sha512.digest("hex") };
}

/** Undefined for bytes that are not a package. */
async function contentHashOf(path: string): Promise<Buffer | undefined> {
  await using file = await packageFileBytes(path, { lend: true });
  try {
    return await contentHash(file, "SHA512");
  } catch (error) {
    if (error instanceof ArchiveError) return undefined;
    throw error;
  }
}
