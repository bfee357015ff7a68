import type {
  Digest,
  ManifestCatalog,
  RepositoryName,
  Staleness,
  StoredManifest,
} from "@sealhouse/oci-distribution";
import { isDigest } from "@sealhouse/oci-distribution";
import type { PackageSource } from "../../sources/package-source.ts";
import type { Located } from "../mirror.ts";
import { createNameMemory } from "../name-memory.ts";
import type { NameMemory } from "../name-memory.ts";
import { isUpstreamUnavailable } from "../calls/upstream-error.ts";
import { admittedManifests } from "./admitted-manifests.ts";
import { subjectsAtSource } from "./attachments.ts";
import { digestIn, tagsIn } from "./image-documents.ts";
import type { WantedImage } from "./image-locator.ts";
import type { SharedParts } from "./image-parts.ts";
import { createManifestKeeper } from "./manifest-keeper.ts";
import type { ManifestKeeper } from "./manifest-keeper.ts";
import { isAllowedPlatform } from "./platform-policy.ts";
import { createRemovedImages } from "./removed-images.ts";
import { mirroredReferrers } from "./mirrored-referrers.ts";
import { stalenessOf } from "./staleness.ts";

/** Finds manifests here, then at the source of the repository. Tags follow the source. */
export function mirroredManifests(parts: SharedParts): ManifestCatalog {
  const { local, locator, documents } = parts;
  const found = createFinder(parts);
  return {
    ...local.manifests,
    find: (repository, reference, options = {}) =>
      isDigest(reference)
        ? found.byDigest(repository, reference, options)
        : found.byTag(repository, reference, options),
    async tags(repository, page) {
      const image = await locator.wanted(repository);
      const located = image && (await locator.locate(image));
      if (!image || located?.status !== "sources") return local.manifests.tags(repository, page);
      const listed = await documents.tags(image);
      if (listed === "own") return local.manifests.tags(repository, page);
      if (listed === "absent") return undefined;
      const { after, limit } = page;
      const tags = await tagsIn(listed.answer);
      return tags.filter((tag) => after === undefined || tag > after).slice(0, limit);
    },
    referrers: mirroredReferrers(parts),
  };
}

type LocatedAtSources = Extract<Located, { readonly status: "sources" }>;
type Whole = { readonly whole?: boolean };
type Found = Awaited<ReturnType<ManifestCatalog["find"]>>;

type WantedTag = {
  readonly image: WantedImage;
  readonly repository: RepositoryName;
  readonly tag: string;
};

/** Creates a function that finds the manifest of a tag as its source has it. */
function createTagFinder(
  {
    local: { manifests },
    documents,
    mirror,
    now,
  }: Pick<SharedParts, "local" | "documents" | "mirror" | "now">,
  keeper: ManifestKeeper,
  confirmed: NameMemory<Digest>,
) {
  return async ({ image, repository, tag }: WantedTag): Promise<Found | "own"> => {
    const found = await documents.tag(image, tag);
    if (found === "own") return "own";
    if (found === "absent") return undefined;
    const { source, answer } = found;
    const digest = await digestIn(answer);
    // A repository gets no manifest and no source from what others would not find.
    if (!mirror.isForEveryone()) return manifests.find(repository, digest);
    const current = await keeper.tagged({ image, repository, source, digest, tag }).catch(
      // The tag has moved to what the source cannot send now.
      (error: unknown) =>
        olderTag(manifests, { repository, tag, source: source.name, error, since: now() }),
    );
    const stale = stalenessOf(found);
    if (!stale && current?.digest === digest) {
      const until = answer.checkedAt.getTime() + source.settings.revalidateAfterMs;
      confirmed.set(`${repository}:${tag}`, { until, state: digest });
    }
    return current && { ...current, ...(stale && { stale }) };
  };
}

function createFinder(parts: SharedParts) {
  const { local, locator, documents, surfaces, mirror, mirrored, now } = parts;
  const keeper = admittedManifests(createManifestKeeper(parts), {
    ...parts,
    subjectAtSource: subjectsAtSource(parts),
  });
  /** Digests of tags that their source has confirmed lately. */
  const confirmed = createNameMemory<Digest>(() => now().getTime(), parts.mirror);
  const { manifests } = local;
  const atSource = createTagFinder(parts, keeper, confirmed);
  const removed = createRemovedImages({ ...parts, isOffline: parts.mirror.isOffline });

  /** `os` without an entry allows all platforms. */
  const isServed = async (repository: RepositoryName, digest: Digest, os: readonly string[]) =>
    os.length === 0 ||
    isAllowedPlatform(await mirrored.lookup.indexesWith(repository, digest), digest, os);

  const fromSource = async ({ image, repository, source }: Origin, digest: Digest) => {
    if (source) return keeper.fetch({ image, repository, source, digest });
    const first = await documents.manifest(image, digest);
    if (typeof first === "string" || !mirror.isForEveryone()) return undefined;
    return keeper.fetch({ image, repository, source: first.source, digest });
  };

  const byDigest = async (
    repository: RepositoryName,
    digest: Digest,
    options: Whole,
  ): Promise<Found> => {
    const stored = await manifests.find(repository, digest, options);
    const image = await locator.wanted(repository);
    if (!image) return stored;
    const os = surfaces.allowedOs(image.surface);
    const isChecked = stored && (await locator.deniesRemoved());
    if (stored && os.length === 0 && !isChecked) return stored;
    const located = await locator.locate(image);
    if (located.status !== "sources") return stored;
    const claimed = sourceOf(located);
    if (isChecked && !claimed && located.isClaimed) return undefined;
    if (isChecked) await removed.requireAtSource({ image, repository, source: claimed }, digest);
    if (!(await isServed(repository, digest, os))) return undefined;
    // Blobs that are damaged here come from the source again.
    const whole = stored ?? (await manifests.find(repository, digest));
    return whole ?? fromSource({ image, repository, source: claimed }, digest);
  };

  return {
    byDigest,
    async byTag(repository: RepositoryName, tag: string, options: Whole): Promise<Found> {
      const image = await locator.wanted(repository);
      if (!image) return manifests.find(repository, tag, options);
      const known = confirmed.get(`${repository}:${tag}`);
      const kept = known && (await manifests.find(repository, tag));
      if (kept && kept.digest === known) return kept;
      const located = await locator.locate(image);
      if (located.status !== "sources") return manifests.find(repository, tag, options);
      const found = await atSource({ image, repository, tag });
      if (found && found !== "own") return found;
      const stored = await manifests.find(repository, tag, options);
      const source = sourceOf(located);
      if (!stored || found === "own" || source?.settings.onRemoved === "Keep") return stored;
      removed.refuseTag({ image, repository, source }, tag);
      return undefined;
    },
  };
}

type Origin = {
  readonly image: WantedImage;
  readonly repository: RepositoryName;
  /** Undefined while nothing of the repository is here. */
  readonly source: PackageSource | undefined;
};

/** The source of a repository of which something is here. */
function sourceOf({ sources, isClaimed }: LocatedAtSources): PackageSource | undefined {
  return isClaimed ? sources[0] : undefined;
}

/** Returns the manifest that the tag pointed to before, while its source fails. */
async function olderTag(
  manifests: ManifestCatalog,
  failed: {
    readonly repository: RepositoryName;
    readonly tag: string;
    readonly source: string;
    readonly error: unknown;
    readonly since: Date;
  },
): Promise<(StoredManifest & { readonly stale: Staleness }) | undefined> {
  const { repository, tag, source, error, since } = failed;
  const older = isUpstreamUnavailable(error) ? await manifests.find(repository, tag) : undefined;
  if (!older) throw error;
  return { ...older, stale: { source, since, checkedAt: since } };
}
