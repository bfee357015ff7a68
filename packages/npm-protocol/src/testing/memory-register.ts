import type { SavedBlob } from "../npm-version.ts";
import type { MemoryShelf } from "./memory-shelf.ts";

/** Marks lost tarballs, and replaces them with the same bytes. Each makes documents stale. */
export type TarballRegister = {
  markMissing(key: string): Promise<void>;
  /** False when no such tarball is marked. */
  restore(blob: SavedBlob): Promise<boolean>;
};

export function createMemoryRegister({
  replaceBlobs,
}: Pick<MemoryShelf, "replaceBlobs">): TarballRegister {
  return {
    async markMissing(key) {
      replaceBlobs(
        (blob) => blob.key === key && !blob.isDamaged,
        (blob) => ({ ...blob, isDamaged: true }),
      );
    },
    restore: async (blob) => restoreTarball({ replaceBlobs }, blob),
  };
}

/** Gives the damaged versions with these bytes the new copy; false when no version is, or the copy
 * is the damaged one. */
export function restoreTarball(
  { replaceBlobs }: Pick<MemoryShelf, "replaceBlobs">,
  { key, size, sha256 }: SavedBlob,
): boolean {
  return replaceBlobs(
    (blob) => blob.isDamaged === true && blob.sha256 === sha256 && blob.key !== key,
    () => ({ key, size, sha256 }),
  );
}
