import type { NpmDependents } from "../dependents/ports.ts";
import { latestOf } from "../lifecycle/latest-version.ts";
import type { NpmLifecycle } from "../lifecycle/ports.ts";
import type { NpmOwners } from "../owners/ports.ts";
import type { Entry, MemoryShelf } from "./memory-shelf.ts";
import { isWithin } from "./name-limit.ts";

export function createMemoryLifecycle(shelf: MemoryShelf): NpmLifecycle {
  const { packages, deletedVersions, removedNames, now, touch } = shelf;
  return {
    async deprecate(name, texts) {
      const entry = packages.get(name);
      if (!entry) return undefined;
      const changing = [...entry.versions].filter(
        ([version, stored]) => texts.has(version) && texts.get(version) !== stored.deprecated,
      );
      for (const [version, stored] of changing) {
        const text = texts.get(version);
        delete stored.deprecated;
        Object.assign(stored, text !== undefined && { deprecated: text });
      }
      if (changing.length > 0) touch(entry);
      return changing.map(([version]) => version);
    },

    async unpublish(name, { versions, revision }, { actor }) {
      const entry = packages.get(name);
      if (!entry) return "absent";
      if (entry.revision !== revision) return "changed";
      const leaving = [...entry.versions.keys()].filter(
        (version) => versions === "all" || versions.includes(version),
      );
      if (leaving.length === 0) return "absent";
      for (const version of leaving) {
        entry.versions.delete(version);
        deletedVersions.add(`${name}@${version}`);
      }
      retag(entry);
      touch(entry);
      if (entry.versions.size > 0) return "deleted";
      packages.delete(name);
      removedNames.set(name, { removedAt: now(), by: actor });
      return "deleted";
    },

    async manifestBytes(name) {
      const stored = [...(packages.get(name)?.versions.values() ?? [])];
      return stored.reduce((sum, { entry }) => sum + Buffer.byteLength(entry.manifest), 0);
    },
  };
}

function retag(entry: Entry): void {
  for (const [tag, version] of entry.tags) if (!entry.versions.has(version)) entry.tags.delete(tag);
  if (entry.tags.has("latest")) return;
  delete entry.readme;
  delete entry.readmeFilename;
  const latest = latestOf([...entry.versions.keys()]);
  if (latest !== undefined) entry.tags.set("latest", latest);
}

export function createMemoryOwners({ packages, touch }: MemoryShelf): NpmOwners {
  return {
    async setMaintainers(name, { maintainers, revision }) {
      const entry = packages.get(name);
      if (!entry) return "absent";
      if (entry.revision !== revision) return "changed";
      entry.maintainers = maintainers;
      touch(entry);
      return "set";
    },

    async setAccess(name, access) {
      const entry = packages.get(name);
      if (!entry) return "absent";
      if (entry.access === access) return "set";
      entry.access = access;
      touch(entry);
      return "set";
    },

    isPrivate: async (name) => packages.get(name)?.access === "restricted",

    async packages(of) {
      const isWanted = ({ name, maintainers }: Entry) =>
        "scope" in of
          ? name.startsWith(`${of.scope}/`)
          : maintainers.some((maintainer) => maintainer.name === of.maintainer);
      return [...packages.values()]
        .filter(isWanted)
        .map(({ name, maintainers }) => ({ name, maintainers }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

export function createMemoryDependents({ packages }: Pick<MemoryShelf, "packages">): NpmDependents {
  const dependsOn = ({ tags, versions }: Entry, name: string) =>
    versions.get(tags.get("latest") ?? "")?.entry.dependencyNames.includes(name) ?? false;
  return {
    async dependents(name, { from, size, ...limit }) {
      const names = [...packages.values()]
        .filter((entry) => dependsOn(entry, name.toLowerCase()) && isWithin(limit, entry.name))
        .map((entry) => entry.name)
        .toSorted();
      return { total: names.length, names: names.slice(from, from + size) };
    },
  };
}
