import type { MemoryDocumentStore } from "@sealhouse/http-responses/testing";
import { groupOf } from "../documents/document-address.ts";
import type { SavedBlob } from "../npm-version.ts";
import type { MemoryShelf } from "./memory-shelf.ts";

/** Marks lost tarballs, and replaces them with the same bytes. Each makes documents stale. */
export type TarballRegister = {
  markMissing(key: string): Promise<void>;
  /** False when no such tarball is marked. */
  restore(blob: SavedBlob): Promise<boolean>;
};

export function createMemoryRegister(
  shelf: Pick<MemoryShelf, "packages">,
  documents: Pick<MemoryDocumentStore, "change">,
): TarballRegister {
  return {
    async markMissing(key) {
      for (const { name, versions } of shelf.packages.values()) {
        const lost = [...versions.values()].filter(({ blob }) => blob.key === key);
        for (const stored of lost) stored.blob = { ...stored.blob, isDamaged: true };
        if (lost.length > 0) documents.change(groupOf(name));
      }
    },
    restore: async (blob) => restoreTarball(shelf, documents, blob),
  };
}

/** Gives the damaged versions with these bytes the new copy; false when there is none. */
export function restoreTarball(
  { packages }: Pick<MemoryShelf, "packages">,
  documents: Pick<MemoryDocumentStore, "change">,
  { key, size, sha256 }: SavedBlob,
): boolean {
  let isRestored = false;
  for (const { name, versions } of packages.values()) {
    const damaged = [...versions.values()].filter(
      ({ blob }) => blob.isDamaged && blob.sha256 === sha256,
    );
    for (const stored of damaged) stored.blob = { key, size, sha256 };
    if (damaged.length > 0) documents.change(groupOf(name));
    isRestored ||= damaged.length > 0;
  }
  return isRestored;
}
