import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Digest } from "../digest.ts";
import { algorithmOf, digestOf } from "../digest.ts";
import type { RepositoryName } from "../repository-name.ts";

/** A manifest row to check. */
export type ManifestRecord = {
  readonly id: number;
  readonly repository: RepositoryName;
  readonly digest: Digest;
  readonly bytes: Uint8Array;
};

/** Reads manifests for the integrity check. */
export interface ManifestRecords {
  /** Manifests whose id is greater than `after`, in order of their ids. */
  manifests(page: {
    readonly limit: number;
    readonly after?: number;
  }): Promise<readonly ManifestRecord[]>;
}

/** A manifest in the database whose bytes do not have its digest. */
export type DamagedManifest = Pick<ManifestRecord, "repository" | "digest">;

/** Manifests per page. Each has up to 4 MiB. */
const PAGE_MANIFESTS = 16;

/** Hashes every manifest and yields the damaged ones. Returns the number of manifests read. */
export async function* checkManifests(
  records: ManifestRecords,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<DamagedManifest, number, undefined> {
  let read = 0;
  for (let after = 0; ;) {
    await yieldToEventLoop();
    signal?.throwIfAborted();
    const page = await records.manifests({ limit: PAGE_MANIFESTS, after });
    for (const { repository, digest, bytes } of page) {
      read += 1;
      if (digestOf(bytes, algorithmOf(digest)) !== digest) yield { repository, digest };
    }
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE_MANIFESTS) return read;
  }
}
