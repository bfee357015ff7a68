import type { Caller } from "@sealhouse/request-types";
import type { MemoryDocumentStore } from "@sealhouse/http-responses/testing";
import { DIST_TAGS_MAX } from "../dist-tag.ts";
import type { NpmLookup, NpmPackage, NpmRecorder } from "../ports.ts";
import type { NamedBlob, NewNpmVersion, NpmVersion } from "../npm-version.ts";
import { isProvenance } from "../provenance/read-provenance.ts";
import type { NpmHistory, NpmVersionLine } from "../history/ports.ts";
import type { NewNpmAdvisory, NpmAdvisories, NpmAdvisoryRecorder } from "../advisories/ports.ts";
import { advisoryFingerprint, planNpmReplacement } from "../advisories/replacement.ts";
import type { NpmCatalog } from "./contract-fixtures.ts";
import {
  createMemoryDependents,
  createMemoryLifecycle,
  createMemoryOwners,
} from "./memory-lifecycle.ts";
import { createMemoryRegister, restoreTarball } from "./memory-register.ts";
import { createMemorySearch } from "./memory-search.ts";
import { createMemoryShelf } from "./memory-shelf.ts";
import type { Entry, MemoryShelf, Stored } from "./memory-shelf.ts";
import { createMemoryTrustedPublishers } from "./memory-trust.ts";
import { createMemorySigningKeys, createMemoryUnsigned } from "./memory-signatures.ts";
import { createMemoryStaging, validOne } from "./memory-staging.ts";
import { blobWith, reservationIn } from "./memory-reservations.ts";

/** Packages in memory. Each change runs to its end in one turn, which makes it a transaction. */
export function createMemoryCatalog(documents: MemoryDocumentStore, now: () => Date): NpmCatalog {
  const shelf = createMemoryShelf(documents, now);
  const signingKeys = createMemorySigningKeys(shelf, documents);
  const showsSignatures = async () => (await signingKeys.announced()).length > 0;
  const lookup = lookupIn(shelf.packages, showsSignatures);
  return {
    documents,
    lookup,
    history: createMemoryHistory(shelf, lookup),
    recorder: recorderIn(shelf),
    register: createMemoryRegister(shelf),
    staging: createMemoryStaging(shelf),
    lifecycle: createMemoryLifecycle(shelf),
    owners: createMemoryOwners(shelf),
    dependents: createMemoryDependents(shelf),
    signingKeys,
    attestations: {
      of: async (name, version) =>
        shelf.packages.get(name)?.versions.get(version)?.entry.attestations ?? [],
    },
    unsigned: createMemoryUnsigned(shelf, documents),
    search: createMemorySearch(shelf),
    advisories: createMemoryNpmAdvisories(),
    trustedPublishers: createMemoryTrustedPublishers(now),
  };
}

type Packages = MemoryShelf["packages"];

const REPLAY_MS = 15 * 60 * 1000;

function lookupIn(packages: Packages, showsSignatures: () => Promise<boolean>): NpmLookup {
  return {
    find: async (name) => {
      const entry = packages.get(name);
      return entry && packageOf(entry, await showsSignatures());
    },
    has: async (name) => packages.has(name),
    tarball: async (name, version) => {
      const stored = packages.get(name)?.versions.get(version);
      return stored && { ...stored.blob, integrity: stored.entry.integrity };
    },
  };
}

function recorderIn(shelf: MemoryShelf): NpmRecorder {
  const { packages, touch } = shelf;
  return {
    async publish(version, caller) {
      const entry = packages.get(version.name) ?? emptyEntry(version, caller);
      const taken = entry.versions.get(version.version);
      if (taken) return repeated(taken, version, caller);
      return refusalIn(shelf, { entry, version }, caller) ?? put(shelf, { entry, version }, caller);
    },

    async publishAll(versions, caller) {
      const seenKeys = new Set<string>();
      for (const [index, version] of versions.entries()) {
        const taken = packages.get(version.name)?.versions.get(version.version);
        const key = `${version.name}@${version.version}`;
        const outcome = seenKeys.has(key)
          ? ({ status: "exists" } as const)
          : taken
            ? repeated(taken, version, caller)
            : refusalOf(shelf, version, caller);
        seenKeys.add(key);
        if (outcome && outcome.status !== "replayed") return { status: "refused", index, outcome };
      }
      const outcomes = versions.map((version) => {
        const entry = packages.get(version.name) ?? emptyEntry(version, caller);
        const taken = entry.versions.get(version.version);
        const outcome = taken && repeated(taken, version, caller);
        return outcome?.status === "replayed" ? outcome : put(shelf, { entry, version }, caller);
      });
      return { status: "published", outcomes };
    },

    async release(stageId, version, caller) {
      if (!validOne(shelf, stageId)) return { status: "absent" };
      const entry = packages.get(version.name) ?? emptyEntry(version, caller);
      if (entry.versions.has(version.version)) return { status: "exists" };
      const refusal = refusalIn(shelf, { entry, version }, caller);
      if (refusal) return refusal;
      const published = put(shelf, { entry, version }, caller);
      shelf.waiting.delete(stageId);
      return published;
    },

    async setTag(name, { tag, version, isImported }) {
      const entry = packages.get(name);
      if (!entry?.versions.has(version)) return "absent";
      if (isImported !== true && !hasRoom(entry, [tag])) return "tags-full";
      entry.tags.set(tag, version);
      touch(entry);
      return "set";
    },

    async removeTag(name, tag) {
      const entry = packages.get(name);
      if (!entry?.tags.delete(tag)) return "absent";
      touch(entry);
      return "deleted";
    },
  };
}

type Publishing = { readonly entry: Entry; readonly version: NewNpmVersion };

/** For a version of a package that may exist. */
function refusalOf(shelf: MemoryShelf, version: NewNpmVersion, caller: Caller) {
  const entry = shelf.packages.get(version.name) ?? emptyEntry(version, caller);
  return refusalIn(shelf, { entry, version }, caller);
}

function refusalIn(shelf: MemoryShelf, { entry, version }: Publishing, caller: Caller) {
  const isFull = version.recordedAt === undefined && !hasRoom(entry, version.tags);
  const full = isFull ? ({ status: "tags-full" } as const) : undefined;
  return reservationIn(shelf, version, caller) ?? full;
}

function hasRoom({ tags }: Entry, wanted: readonly string[]): boolean {
  const missing = new Set(wanted.filter((tag) => !tags.has(tag))).size;
  return missing === 0 || tags.size + missing <= DIST_TAGS_MAX;
}

function put(shelf: MemoryShelf, { entry, version }: Publishing, caller: Caller) {
  restoreTarball(shelf, version.blob);
  const twin = blobWith(shelf, version.blob.sha256);
  add(entry, version, twin ?? version.blob, caller);
  shelf.packages.set(version.name, entry);
  shelf.removedNames.delete(version.name);
  shelf.touch(entry);
  const isDuplicate = twin !== undefined && twin.key !== version.blob.key;
  return { status: "published", isDuplicate } as const;
}

function emptyEntry({ name, publishedAt, access }: NewNpmVersion, { actor }: Caller): Entry {
  return {
    name,
    revision: 0,
    createdAt: publishedAt,
    modifiedAt: publishedAt,
    maintainers: [{ name: actor }],
    ...(access && { access }),
    tags: new Map(),
    versions: new Map(),
  };
}

function repeated(taken: Stored, version: NewNpmVersion, caller: Caller) {
  const { integrity, publishedAt, tags } = taken.entry;
  if (version.blob.isRestored && integrity === version.integrity) {
    return { status: "replayed", isRestored: true } as const;
  }
  const ageMs = version.publishedAt.getTime() - publishedAt.getTime();
  const same = integrity === version.integrity && taken.actor === caller.actor;
  if (!same || ageMs > REPLAY_MS) return { status: "exists" } as const;
  const hasSameTags = String(tags.toSorted()) === String(version.tags.toSorted());
  return hasSameTags
    ? ({ status: "replayed" } as const)
    : ({ status: "exists", differs: "tags" } as const);
}

function add(entry: Entry, version: NewNpmVersion, blob: NamedBlob, caller: Caller): void {
  const { key, size, sha256, isDamaged } = blob;
  const own = { key, size, sha256, ...(isDamaged && { isDamaged }) };
  const { deprecated } = version;
  const text = deprecated !== undefined && { deprecated };
  const stored = { entry: version, blob: own, actor: caller.actor, ...text };
  entry.versions.set(version.version, stored);
  for (const tag of version.tags) entry.tags.set(tag, version.version);
  if (!entry.tags.has("latest")) entry.tags.set("latest", version.version);
  if (entry.tags.get("latest") !== version.version) return;
  const { readme, readmeFilename } = version;
  delete entry.readme;
  delete entry.readmeFilename;
  Object.assign(entry, readme !== undefined && { readme }, readmeFilename && { readmeFilename });
}

function packageOf(entry: Entry, showsSignatures: boolean): NpmPackage {
  const { name, revision, createdAt, modifiedAt, maintainers, access, readme, readmeFilename } =
    entry;
  return {
    name,
    revision,
    createdAt,
    modifiedAt,
    maintainers,
    ...(access && { access }),
    ...(readme !== undefined && { readme }),
    ...(readmeFilename !== undefined && { readmeFilename }),
    distTags: Object.fromEntries(entry.tags),
    versions: [...entry.versions.values()].map((storedVersion) =>
      versionOf(storedVersion, showsSignatures),
    ),
  };
}

function versionOf({ entry, deprecated, blob }: Stored, showsSignatures: boolean): NpmVersion {
  const { version, manifest, abbreviated, integrity, shasum, fileCount, unpackedSize } = entry;
  const counted = { fileCount, unpackedSize, publishedAt: entry.publishedAt };
  const text = deprecated !== undefined && { deprecated };
  const provenance = entry.attestations?.find(isProvenance)?.predicateType;
  const from = provenance !== undefined && { provenance };
  const signed = showsSignatures && entry.signatures && { signatures: entry.signatures };
  return {
    version,
    manifest,
    abbreviated,
    integrity,
    shasum,
    ...counted,
    ...text,
    ...signed,
    ...from,
    ...(blob.isDamaged && { isDamaged: true }),
  };
}

/** Nothing is downloaded here. */
const DOWNLOADS = { downloads: 0 } as const;

export function createMemoryHistory(
  { packages }: Pick<MemoryShelf, "packages">,
  lookup: Pick<NpmLookup, "find">,
): NpmHistory {
  return {
    async summary(name) {
      const npmPackage = await lookup.find(name);
      if (!npmPackage) return undefined;
      const { versions, ...summary } = npmPackage;
      return { ...summary, versionCount: versions.length };
    },
    async version(name, version) {
      const stored = packages.get(name)?.versions.get(version);
      const npmPackage = await lookup.find(name);
      const shown = npmPackage?.versions.find((npmVersion) => npmVersion.version === version);
      if (!stored || !shown) return undefined;
      const { provenance: _, ...fields } = shown;
      const { fileCount, unpackedSize } = stored.entry;
      const sizes = { fileCount, unpackedSize, size: stored.blob.size };
      return { ...fields, ...sizes, publishedBy: stored.actor, ...DOWNLOADS };
    },
    newest: async (name, { from, size }) =>
      linesOf(packages.get(name))
        .toReversed()
        .slice(from, from + size),
  };
}

function linesOf(entry: Entry | undefined): readonly NpmVersionLine[] {
  return [...(entry?.versions.values() ?? [])].map(({ entry: version, deprecated }) => ({
    version: version.version,
    publishedAt: version.publishedAt,
    unpackedSize: version.unpackedSize,
    ...DOWNLOADS,
    ...(deprecated !== undefined && { deprecated }),
  }));
}

/** Advisories in a list for each source. */
export function createMemoryNpmAdvisories(): NpmAdvisories & NpmAdvisoryRecorder {
  const sources = new Map<string, ReadonlyMap<string, NewNpmAdvisory>>();
  return {
    async of(names) {
      const rows = [...sources.values()].flatMap((source) => [...source.values()]);
      const requestedNames = new Set(names);
      const matches = rows.filter(({ name }) => requestedNames.has(name));
      const grouped = Map.groupBy(matches, ({ name }) => name);
      return new Map([...grouped].map(([name, some]) => [name, some.map(withoutName)]));
    },
    async replace(source, advisories) {
      const oldAdvisories = sources.get(source) ?? new Map<string, NewNpmAdvisory>();
      const { added, fingerprints } = await planNpmReplacement(source, advisories, (fingerprint) =>
        oldAdvisories.has(fingerprint),
      );
      const left = [...oldAdvisories].filter(([fingerprint]) => fingerprints.has(fingerprint));
      const fresh = added.map((advisory) => [advisoryFingerprint(advisory), advisory] as const);
      sources.set(source, new Map([...left, ...fresh]));
      return {
        added: added.length,
        removed: oldAdvisories.size - left.length,
        total: fingerprints.size,
      };
    },
    async remove(source) {
      sources.delete(source);
    },
  };
}

function withoutName({ name: _name, ...advisory }: NewNpmAdvisory) {
  return advisory;
}
