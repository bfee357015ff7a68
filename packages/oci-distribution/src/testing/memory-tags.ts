import type { Digest } from "../digest.ts";
import { parseManifest } from "../manifest/manifest.ts";
import type { ImmutableTag, ManifestCatalog } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { TagRecord, TagRetention } from "../retention/ports.ts";
import type { ImmutableTags } from "../retention/tag-rules.ts";
import { NO_IMMUTABLE_TAGS } from "../retention/tag-rules.ts";

export type MemoryTagsOptions = {
  readonly immutable?: ImmutableTags;
  readonly now?: () => Date;
};

/** A catalog in memory with rules about its tags, and what retention asks of it. It knows when tags
 * were pushed, but not when they were pulled. */
export function createMemoryTags(
  catalog: ManifestCatalog,
  options: MemoryTagsOptions = {},
): { readonly manifests: ManifestCatalog; readonly tags: TagRetention } {
  const { immutable = NO_IMMUTABLE_TAGS, now = () => new Date() } = options;
  const pushed = new Map<string, Date>();
  const pushedAt = (name: string, tag: string) => pushed.get(`${name}:${tag}`) ?? new Date(0);
  const digestAt = async (name: RepositoryName, tag: string) =>
    (await catalog.find(name, tag))?.digest;

  const inTurn = createTurns();

  const manifests: ManifestCatalog = {
    ...catalog,
    record: (manifest, caller) =>
      inTurn(async () => {
        const { repository, digest, tags } = manifest;
        const before = await Promise.all(tags.map((tag) => digestAt(repository, tag)));
        const moved = tags.filter((_, index) => before[index] !== digest);
        const taken = tags.filter((_, index) => (before[index] ?? digest) !== digest);
        const immutableTag = immutableAmong(immutable, repository, taken);
        if (immutableTag) return immutableTag;
        const outcome = await catalog.record(manifest, caller);
        if (outcome.status === "recorded") {
          for (const tag of moved) pushed.set(`${repository}:${tag}`, now());
        }
        return outcome;
      }),
    deleteTag: (name, tag, caller) =>
      inTurn(async () => {
        const currentTags = (await digestAt(name, tag)) === undefined ? [] : [tag];
        return immutableAmong(immutable, name, currentTags) ?? catalog.deleteTag(name, tag, caller);
      }),
    deleteManifest: (name, digest, caller) =>
      inTurn(async () => {
        const all = (await catalog.tags(name, { limit: Number.MAX_SAFE_INTEGER })) ?? [];
        const leads = await Promise.all(all.map((tag) => leadsTo(catalog, name, tag, digest)));
        const lost = all.filter((_, index) => leads[index]);
        const immutableTag = immutableAmong(immutable, name, lost);
        return immutableTag ?? catalog.deleteManifest(name, digest, caller);
      }),
  };
  const tags: TagRetention = {
    async tagRecords(name, page) {
      const records: TagRecord[] = [];
      for (const tag of (await catalog.tags(name, page)) ?? []) {
        const digest = await digestAt(name, tag);
        if (digest) records.push({ tag, digest, pushedAt: pushedAt(name, tag) });
      }
      return records;
    },
    async removeTag(name, seen, { caller }) {
      const isAsSeen =
        (await digestAt(name, seen.tag)) === seen.digest &&
        pushedAt(name, seen.tag).getTime() === seen.pushedAt.getTime();
      if (!isAsSeen) return "kept";
      return (await manifests.deleteTag(name, seen.tag, caller)) === "deleted" ? "deleted" : "kept";
    },
  };
  return { manifests, tags };
}

/** Whether a reference is the manifest's, or of an index that lists it, directly or not. */
async function leadsTo(
  catalog: ManifestCatalog,
  name: RepositoryName,
  reference: string,
  digest: Digest,
): Promise<boolean> {
  const manifest = await catalog.find(name, reference);
  if (!manifest || manifest.digest === digest) return manifest !== undefined;
  for (const child of parseManifest(manifest.bytes, manifest.mediaType).edges) {
    if (child.kind === "child" && (await leadsTo(catalog, name, child.digest, digest))) return true;
  }
  return false;
}

/** One change at a time, as a database's locks have it. */
function createTurns(): <T>(change: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (change) => {
    const turn = last.then(change, change);
    last = turn.catch(() => undefined);
    return turn;
  };
}

function immutableAmong(
  immutable: ImmutableTags,
  name: RepositoryName,
  tags: readonly string[],
): ImmutableTag | undefined {
  for (const tag of tags.toSorted()) {
    const rule = immutable(name, tag);
    if (rule !== undefined) return { status: "immutable", tag, rule };
  }
  return undefined;
}
