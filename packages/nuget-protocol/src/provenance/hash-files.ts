import { createHash } from "node:crypto";
import type { ByteSource } from "@sealhouse/http-responses";
import type { FileDigests } from "../stored-package.ts";
import type { DigestKeeper, HashableFiles } from "./ports.ts";

export type HashPorts = { readonly digests: DigestKeeper; readonly hashable: HashableFiles };

/**
 * Computes and stores the unknown facts of a version: each signed file is read once. Rejects when
 * the bytes cannot be read now; lost bytes are skipped. Id and version are lower-cased.
 */
export async function hashFiles(
  { digests, hashable }: HashPorts,
  identity: { readonly id: string; readonly version: string },
  signal?: AbortSignal,
): Promise<void> {
  const unhashedPackage = await digests.unhashed(identity.id, identity.version);
  if (!unhashedPackage) return;
  const { stored } = unhashedPackage;
  for (const seal of unhashedPackage.seals) {
    const read = await unlessLost(async () =>
      digestsOf(await hashable.signed(stored, seal), signal),
    );
    if (read) await digests.keep(stored, { type: "signed", seal, digests: read });
  }
  if (!unhashedPackage.lacksContentHash) return;
  const contentHash = await unlessLost(() => hashable.contentHash(stored));
  if (contentHash !== undefined) await digests.keep(stored, { type: "content-hash", contentHash });
}

async function digestsOf(file: ByteSource, signal: AbortSignal | undefined): Promise<FileDigests> {
  const [sha256, sha512] = [createHash("sha256"), createHash("sha512")];
  for await (const chunk of file.read()) {
    signal?.throwIfAborted();
    sha256.update(chunk);
    sha512.update(chunk);
  }
  return { sha256: sha256.digest("hex"), sha512: sha512.digest("base64") };
}

async function unlessLost<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    // What can never be served must not hold up everything else.
    if (isForGood(error)) return undefined;
    throw error;
  }
}

/** The bytes are lost, or do not go with their signature. */
function isForGood(error: unknown): boolean {
  const fields = Object(error) as { readonly code?: unknown; readonly problem?: unknown };
  return fields.code === "storage-not-found" || fields.problem === "splice-plan";
}
