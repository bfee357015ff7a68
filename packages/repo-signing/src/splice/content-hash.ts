import { createHash } from "node:crypto";
import type { ZipArchive } from "@sealhouse/zip-archive";
import type { HashName } from "../hash.ts";
import type { PackageBytes } from "../ports.ts";
import { planHashed } from "./edit-signature.ts";
import { spliced } from "./splice-plan.ts";
import { readArchive } from "../archive/archive.ts";
import { locateSignatureEntry } from "../archive/signature-entry.ts";

/**
 * The hash of a package without its signature, in one pass and without keeping it in memory. With
 * SHA-512 and base64 this is NuGet's contentHash; signing never changes it.
 */
export async function contentHash(file: PackageBytes, hash: HashName): Promise<Buffer> {
  const { [hash]: digest } = await contentHashes(file, await readArchive(file), [hash]);
  return digest ?? Buffer.alloc(0);
}

/** Several content hashes in one read of the file. */
export async function contentHashes(
  file: PackageBytes,
  archive: ZipArchive,
  hashes: readonly HashName[],
): Promise<Readonly<Partial<Record<HashName, Buffer>>>> {
  const unsigned = locateSignatureEntry(archive) ? spliced(file, planHashed(archive)) : file;
  const running = hashes.map((name) => ({ name, hash: createHash(name.toLowerCase()) }));
  for await (const chunk of unsigned.read(undefined, { reuse: true })) {
    for (const { hash } of running) hash.update(chunk);
  }
  return Object.fromEntries(running.map(({ name, hash }) => [name, hash.digest()]));
}
