import type { MemoryDocumentStore } from "@sealhouse/http-responses/testing";
import { groupOf } from "../documents/document-address.ts";
import type { Maintainer, PackageAccess } from "../owners/ports.ts";
import type { NamedBlob, NewNpmVersion } from "../npm-version.ts";
import type { NewStagedVersion } from "../staging/ports.ts";

export type Stored = {
  entry: NewNpmVersion;
  blob: NamedBlob;
  readonly actor: string;
  deprecated?: string;
};

export type Entry = {
  name: string;
  revision: number;
  createdAt: Date;
  modifiedAt: Date;
  maintainers: readonly Maintainer[];
  access?: PackageAccess;
  readme?: string;
  readmeFilename?: string;
  readonly tags: Map<string, string>;
  readonly versions: Map<string, Stored>;
};

/** A staged version. */
export type Waiting = {
  readonly version: NewStagedVersion;
  readonly actor: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** State that all ports of a catalog in memory share. */
export type MemoryShelf = {
  readonly packages: Map<string, Entry>;
  /** `name@version` of all that was unpublished. */
  readonly deletedVersions: Set<string>;
  readonly removedNames: Map<string, { readonly removedAt: Date; readonly by: string }>;
  /** By id, in the order they came. */
  readonly waiting: Map<string, Waiting>;
  readonly now: () => Date;
  /** After each change of a package. */
  readonly touch: (entry: Entry) => void;
  /** Replaces the selected blobs of published and staged versions, which makes the documents of the
   * packages stale. Returns whether there was one. */
  readonly replaceBlobs: (
    isSelected: (blob: NamedBlob) => boolean,
    replaced: (blob: NamedBlob) => NamedBlob,
  ) => boolean;
};

export function createMemoryShelf(documents: MemoryDocumentStore, now: () => Date): MemoryShelf {
  const packages = new Map<string, Entry>();
  const waiting = new Map<string, Waiting>();
  return {
    packages,
    replaceBlobs(isSelected, replaced) {
      let isReplaced = false;
      for (const { name, versions } of packages.values()) {
        const selected = [...versions.values()].filter(({ blob }) => isSelected(blob));
        for (const stored of selected) stored.blob = replaced(stored.blob);
        if (selected.length > 0) documents.change(groupOf(name));
        isReplaced ||= selected.length > 0;
      }
      for (const [id, { version, ...rest }] of waiting) {
        if (!isSelected(version.blob)) continue;
        waiting.set(id, { ...rest, version: { ...version, blob: replaced(version.blob) } });
        isReplaced = true;
      }
      return isReplaced;
    },
    deletedVersions: new Set(),
    removedNames: new Map(),
    waiting,
    now,
    touch(entry) {
      entry.revision += 1;
      entry.modifiedAt = new Date(Math.max(now().getTime(), entry.modifiedAt.getTime()));
      documents.change(groupOf(entry.name));
    },
  };
}
