import type { TagPast } from "./as-of/ports.ts";
import type { OciPorts } from "./ports.ts";
import type { RepositoryName } from "./repository-name.ts";
import type { ImageSources } from "./upstream/ports.ts";

/**
 * Repositories that this request named and its caller must not see. All ports answer for each as
 * for a name that no repository has, so that no answer depends on the hidden repository.
 */
export type HiddenRepositories = {
  add(name: RepositoryName): void;
  /** Returns the name that the ports are asked for. */
  shown(name: RepositoryName): Promise<RepositoryName>;
};

type Asked = { readonly ports: OciPorts; readonly sources: ImageSources };

/** Returns the ports of one request, and the repositories that are hidden from its caller. */
export function hidingPorts({ ports, sources }: Asked): Asked & {
  readonly hidden: HiddenRepositories;
} {
  const names = new Set<string>();
  const shown = async (name: RepositoryName) => (names.has(name) ? sources.standIn(name) : name);
  const { past } = ports;
  return {
    hidden: { add: (name) => void names.add(name), shown },
    ports: {
      ...ports,
      blobs: blobsFor(ports, shown),
      manifests: manifestsFor(ports, shown),
      ...(past && { past: pastFor(past, shown) }),
    },
    sources: {
      ...sources,
      claimOn: async (name) => sources.claimOn(await shown(name)),
      mayHaveMore: async (name) => sources.mayHaveMore(await shown(name)),
    },
  };
}

type ShownName = HiddenRepositories["shown"];

function blobsFor({ blobs }: OciPorts, shown: ShownName): OciPorts["blobs"] {
  return {
    ...blobs,
    find: async (name, ...asked) => blobs.find(await shown(name), ...asked),
    unlink: async (name, ...change) => blobs.unlink(await shown(name), ...change),
  };
}

function manifestsFor({ manifests }: OciPorts, shown: ShownName): OciPorts["manifests"] {
  return {
    ...manifests,
    find: async (name, ...asked) => manifests.find(await shown(name), ...asked),
    tags: async (name, page) => manifests.tags(await shown(name), page),
    referrers: async (name, ...asked) => manifests.referrers(await shown(name), ...asked),
    deleteTag: async (name, ...change) => manifests.deleteTag(await shown(name), ...change),
    deleteManifest: async (name, ...change) =>
      manifests.deleteManifest(await shown(name), ...change),
  };
}

function pastFor(past: TagPast, shown: ShownName): TagPast {
  return {
    digest: async (name, ...asked) => past.digest(await shown(name), ...asked),
    tags: async (name, ...asked) => past.tags(await shown(name), ...asked),
    deleted: async (name, digest) => past.deleted(await shown(name), digest),
    beginning: (time) => past.beginning(time),
  };
}
