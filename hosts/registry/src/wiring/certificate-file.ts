import { createHash } from "node:crypto";
import type { CertificateFile } from "@sealhouse/repo-signing";
import type { ObjectKey, ObjectStore } from "@sealhouse/storage-providers";
import { parseObjectKey, StorageError } from "@sealhouse/storage-providers";

const PFX_BYTES_MAX = 1024 * 1024;

/**
 * The certificate lives in the storage, beside what it signs.
 *
 * The stores have no way to replace an object only while it is the one that was read, but every
 * store lets one of many writers be the first. So whoever wants to replace a file lays the new one
 * down under a name made from the old one: the first to do so has won. The others see to it that
 * the winner's file gets its place, in case the winner was killed on the way. (An instance that is
 * stopped between looking and writing for as long as others take to renew once more can bring back
 * its own, which is as good: all of them take it over within a minute.)
 */
export function certificateFile(store: ObjectStore, path: string): CertificateFile {
  const key = parseObjectKey(path);
  return {
    read: () => read(store, key),
    write: (pfx, before) => (before ? replace(store, key, { pfx, before }) : keep(store, key, pfx)),
  };
}

async function replace(
  store: ObjectStore,
  key: ObjectKey,
  { pfx, before }: { readonly pfx: Uint8Array; readonly before: Uint8Array },
): Promise<"written" | "exists"> {
  const claim = parseObjectKey(`${key}.after-${fingerprintOf(before).slice(0, 16)}`);
  const outcome = await keep(store, claim, pfx);
  const successor = outcome === "written" ? pfx : await read(store, claim);
  // Without one the winner is done already.
  if (!successor) return "exists";
  const current = await read(store, key);
  const isInTime = current !== undefined && fingerprintOf(current) === fingerprintOf(before);
  if (isInTime) await store.write(key, bodyOf(successor), { existing: "replace" });
  await store.delete(claim);
  return isInTime ? outcome : "exists";
}

async function keep(
  store: ObjectStore,
  key: ObjectKey,
  pfx: Uint8Array,
): Promise<"written" | "exists"> {
  const { status } = await store.write(key, bodyOf(pfx), { existing: "keep" });
  return status;
}

async function read(store: ObjectStore, key: ObjectKey): Promise<Uint8Array | undefined> {
  const found = await store.read(key);
  if (!found) return undefined;
  if (found.info.size > PFX_BYTES_MAX) throw new RangeError(`${key} is far too large`);
  try {
    return Buffer.concat(await Array.fromAsync(found.body));
  } catch (error) {
    // Deleted after it was found.
    if (error instanceof StorageError && error.code === "storage-not-found") return undefined;
    throw error;
  }
}

function fingerprintOf(pfx: Uint8Array): string {
  return createHash("sha256").update(pfx).digest("hex");
}

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
