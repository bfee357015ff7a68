import type { RepositoryName } from "@sealhouse/oci-distribution";
import { isRepositoryName, segmentOf } from "@sealhouse/oci-distribution";
import type { PackageSource } from "../../sources/package-source.ts";
import {
  isPrefixOf,
  registryNameIn,
  registryNamesOf,
  registryPrefixOf,
  repositoryAtRegistry,
  repositoryAtSource,
} from "../../sources/registry-name.ts";
import type { WantedName } from "../../sources/sources-for.ts";
import type { Located, Mirror } from "../mirror.ts";
import { createNameMemory } from "../name-memory.ts";

/** A repository as its sources are asked for it. */
export type WantedImage = WantedName & { readonly nameAtSource: string };

/** Finds the sources of repositories. */
export type ImageLocator = {
  /** Undefined while there is no source for images. */
  wanted(repository: RepositoryName): Promise<WantedImage | undefined>;
  locate(wantedImage: WantedImage): Promise<Located>;
  /** Returns the repository here for a name at a registry; undefined without a source for it. */
  repositoryAt(registry: string, name: RepositoryName): Promise<RepositoryName | undefined>;
  hasSources(): Promise<boolean>;
  /** Whether any source denies images that it has removed. */
  deniesRemoved(): Promise<boolean>;
};

/** Reads of repositories without a source need no question to the database for this time. */
const SETTLED_MS = 5_000;

export function createImageLocator(
  mirror: Pick<Mirror, "enabled" | "locate" | "ownCalls">,
  { segments, now }: { readonly segments: readonly string[]; readonly now: () => Date },
): ImageLocator {
  const settled = createNameMemory<Located>(() => now().getTime(), mirror);
  return {
    async wanted(repository) {
      const sources = await mirror.enabled("oci");
      return sources.length === 0 ? undefined : wantedImage(repository, { segments, sources });
    },
    async locate(image) {
      const known = settled.get(image.name);
      if (known) return known;
      const located = await mirror.locate(image);
      if (located.status !== "sources") {
        settled.set(image.name, { until: now().getTime() + SETTLED_MS, state: located });
      }
      return located;
    },
    async repositoryAt(registry, name) {
      const sources = await mirror.enabled("oci");
      return sources.length === 0 ? name : repositoryHere(registry, name, { segments, sources });
    },
    hasSources: async () => (await mirror.enabled("oci")).length > 0,
    deniesRemoved: async () =>
      (await mirror.enabled("oci")).some(({ settings }) => settings.onRemoved === "Deny"),
  };
}

type Places = {
  readonly segments: readonly string[];
  readonly sources: readonly Pick<PackageSource, "name" | "url">[];
};

/**
 * Returns the name by which sources are asked for a repository. Names in a segment are those below
 * it. A name that begins with the name of a source's registry, such as `docker.io/library/alpine`,
 * goes to that registry only. Each host name of Docker Hub is its name.
 */
export function wantedImage(
  repository: RepositoryName,
  { segments, sources }: Places,
): WantedImage {
  const { surface, below } = inSegment(segments, repository);
  const [first = "", ...rest] = below.split("/");
  const named = sources
    .flatMap(registryNamesOf)
    .find((registry) => rest.length > 0 && isPrefixOf(registry, first));
  const nameAtSource = named === undefined ? below : repositoryAtRegistry(named, rest.join("/"));
  return {
    protocol: "oci",
    name: repository,
    nameAtSource,
    ...(surface !== undefined && { surface }),
    ...(named !== undefined && { registry: named }),
  };
}

/** Returns the repository for `?ns=`: below the name of the registry, in the same segment. */
export function repositoryHere(
  ns: string,
  name: RepositoryName,
  { segments, sources }: Places,
): RepositoryName | undefined {
  const registry = registryNameIn(ns);
  if (registry === undefined) return undefined;
  if (!sources.some((source) => registryNamesOf(source).includes(registry))) return undefined;
  const { surface, below } = inSegment(segments, name);
  const prefix = surface === undefined ? "" : `${surface}/`;
  const atRegistry = repositoryAtRegistry(registry, below);
  const here = `${prefix}${registryPrefixOf(registry)}/${atRegistry}`;
  return isRepositoryName(here) ? here : undefined;
}

function inSegment(segments: readonly string[], name: RepositoryName) {
  const surface = segmentOf(segments, name);
  return { surface, below: surface === undefined ? name : name.slice(surface.length + 1) };
}

/** Returns the name of a repository at one of its sources. */
export function nameAt(source: PackageSource, { nameAtSource }: WantedImage): string {
  return repositoryAtSource(source, nameAtSource);
}
