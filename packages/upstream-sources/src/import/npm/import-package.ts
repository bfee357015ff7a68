import type { Caller } from "@sealhouse/request-types";
import {
  adoptVersion,
  fitsIntegrity,
  isNpmError,
  parseOldPackageName,
} from "@sealhouse/npm-protocol";
import { parsePackageVersion } from "@sealhouse/npm-protocol";
import type { Adopted, AdoptPorts, NpmPackage, PackageName } from "@sealhouse/npm-protocol";
import type { RemotePackument, RemoteVersion } from "@sealhouse/npm-protocol/client";
import { isSourceError } from "../../source-error.ts";
import type { ImportOutcome, ReportKeeper } from "../report.ts";
import type { SourcePackage } from "./npm-source.ts";
import type { FinishPorts } from "./finish-package.ts";
import { finishPackage, tagsToMove } from "./finish-package.ts";

/** The ports that an import writes to. */
export type NpmImportPorts = AdoptPorts & FinishPorts;

export type PackageImportOptions = {
  readonly caller: Caller;
  readonly now: () => Date;
  readonly dryRun: boolean;
  /** Maximum size of one tarball. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly keeper: ReportKeeper;
  /** Returns true for a version to import. */
  readonly includes: (name: string, version: string) => boolean;
  /** Called after each version. Throws to stop the import. */
  readonly onProgress: () => void;
};

const ATTEMPTS_MAX = 3;
const FIRST_TIME = new Date("2009-01-01T00:00:00Z");

/**
 * Imports the selected versions of one package that the registry does not have, oldest first, then
 * dist-tags, deprecations and maintainers. Returns false when another attempt may import more.
 */
export async function importPackage(
  ports: NpmImportPorts,
  source: SourcePackage,
  options: PackageImportOptions,
): Promise<boolean> {
  const { packument } = source;
  const { keeper, signal, includes } = options;
  const name = parseOldPackageName(packument.name);
  if (!name) {
    keeper.add(refused(`"${packument.name}" is not a package name.`), about(packument.name));
    return true;
  }
  for (const reason of undescribedVersions(packument)) keeper.add(refused(reason), about(name));
  const before = await ports.lookup.find(name);
  const chosenVersions = packument.versions.filter(({ version }) => includes(name, version));
  let isComplete = true;
  for (const version of chosenVersions.toSorted(byTime)) {
    signal.throwIfAborted();
    const outcome = await importVersion(ports, { source, name, version, before }, options);
    keeper.add(outcome, about(`${name}@${version.version}`));
    isComplete = isComplete && outcome.status !== "failed";
    options.onProgress();
  }
  if (!options.dryRun) {
    await finishPackage(ports, packument, { caller: options.caller, isNew: before === undefined });
  }
  return isComplete;
}

/** Returns a reason for each version that the document lists without a valid manifest. */
function undescribedVersions({ document, versions }: RemotePackument): readonly string[] {
  const entries = Object.keys(document["versions"] ?? {});
  if (entries.length === 0) return ["The source has no version of this package."];
  const knownVersions = new Set(versions.map(({ version }) => version));
  return entries
    .filter((version) => !knownVersions.has(version))
    .map((version) => `The source has no valid manifest of version ${version.slice(0, 80)}.`);
}

type VersionImport = {
  readonly source: SourcePackage;
  readonly name: PackageName;
  readonly version: RemoteVersion;
  /** The package before this import. */
  readonly before: NpmPackage | undefined;
};

async function importVersion(
  ports: NpmImportPorts,
  subject: VersionImport,
  options: PackageImportOptions,
): Promise<ImportOutcome> {
  const present = presentVersion(subject);
  if (present) return present;
  for (let attempt = 1; ; attempt++) {
    options.signal.throwIfAborted();
    try {
      return await importOnce(ports, subject, options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (isNpmError(error)) return refused(error.message, error.code);
      if (!isSourceError(error)) throw error;
      if (attempt === ATTEMPTS_MAX) return { status: "failed", reason: error.message };
    }
  }
}

/** Keeps an existing version, and refuses other bytes for it. The same bytes restore a damaged
 * version. */
function presentVersion({ version, before }: VersionImport): ImportOutcome | undefined {
  const parsed = parsePackageVersion(version.version);
  const existing = before?.versions.find((storedVersion) => storedVersion.version === parsed);
  if (!existing) return undefined;
  const { integrity, shasum = existing.shasum } = version.dist;
  const sha512 = Buffer.from(existing.integrity.replace("sha512-", ""), "base64").toString("hex");
  const digests = { sha1: existing.shasum, sha512 };
  const isSame =
    shasum.toLowerCase() === existing.shasum &&
    (integrity === undefined || fitsIntegrity(integrity, digests));
  if (!isSame) return refused("This version exists with other bytes.", "other-bytes");
  return existing.isDamaged ? undefined : { status: "exists" };
}

async function importOnce(
  ports: NpmImportPorts,
  { source, name, version, before }: VersionImport,
  options: PackageImportOptions,
): Promise<ImportOutcome> {
  const { dryRun, caller, signal, now, maxBytes } = options;
  if (parsePackageVersion(version.version) === undefined) {
    return refused("It is not a semantic version.", "invalid-version");
  }
  if (dryRun && !source.isNear) return { status: "importable", warnings: [] };
  const { packument } = source;
  const provenance = await source.provenance(version, signal);
  await using opened = await source.tarball(version, signal);
  if (!opened) return refused("The source does not have the tarball.", "no-tarball");
  const tags = tagsToMove(packument, before, version.version);
  const adopted = await adoptVersion(
    ports,
    {
      name,
      version: version.version,
      manifest: version.manifest,
      body: opened.body,
      publisher: publisherOf(version, packument) ?? caller.actor,
      publishedAt: pastTime(version.publishedAt, now()),
      tags,
      ...(tags.includes("latest") && readmeOf(packument)),
      ...(provenance !== undefined && { provenance }),
    },
    { caller, now: now(), tarballBytesMax: maxBytes, dryRun },
  );
  return outcomeOf(adopted);
}

function outcomeOf({ outcome, remarks }: Adopted): ImportOutcome {
  switch (outcome.status) {
    case "published":
      return { status: "imported", warnings: remarks };
    case "wanted":
      return { status: "importable", warnings: remarks };
    case "replayed":
    case "exists":
      return { status: "exists" };
    case "mirrored":
      return refused(
        `The package comes from the source "${outcome.source}"; release it first: ` +
          "sealhouse source release npm NAME.",
        "mirrored",
      );
    case "deleted":
      return refused("It was unpublished from this registry and cannot be reused.", "deleted");
    case "reserved": {
      const until = outcome.until.toISOString();
      return refused(
        `The package was unpublished from this registry; its name is reserved until ${until}.`,
        "reserved",
      );
    }
    case "tags-full":
      return refused("The package has too many dist-tags in this registry.", "tags");
  }
}

/** Replaces a publish time in the future or before npm existed: it is wrong, and databases do not
 * accept every year. */
function pastTime(publishedAt: Date | undefined, now: Date): Date {
  const isPast = publishedAt !== undefined && publishedAt >= FIRST_TIME && publishedAt <= now;
  return isPast ? publishedAt : now;
}

function publisherOf({ manifest }: RemoteVersion, { maintainers }: RemotePackument) {
  const user = manifest["_npmUser"];
  const name = typeof user === "object" && user !== null && "name" in user ? user.name : undefined;
  return typeof name === "string" && name !== "" ? name : maintainers[0]?.name;
}

function readmeOf({ readme, readmeFilename }: RemotePackument) {
  return {
    ...(readme !== undefined && { readme }),
    ...(readmeFilename !== undefined && { readmeFilename }),
  };
}

/** Sorts by publish time. Versions without one come last, in the order of the document. */
function byTime(remoteVersion: RemoteVersion, other: RemoteVersion): number {
  const time = ({ publishedAt }: RemoteVersion) => publishedAt?.getTime() ?? Number.MAX_VALUE;
  return time(remoteVersion) - time(other);
}

function refused(reason: string, kind?: string): ImportOutcome {
  return { status: "refused", reason, ...(kind !== undefined && { kind }) };
}

function about(name: string) {
  return { name, kind: "package" } as const;
}
