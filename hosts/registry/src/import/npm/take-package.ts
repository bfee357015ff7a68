import {
  adoptVersion,
  fitsIntegrity,
  NpmError,
  parseOldPackageName,
} from "@sealhouse/npm-protocol";
import { parsePackageVersion } from "@sealhouse/npm-protocol";
import type {
  Adopted,
  AdoptPorts,
  Caller,
  NpmLookup,
  NpmPackage,
  PackageName,
} from "@sealhouse/npm-protocol";
import type { RemotePackument, RemoteVersion } from "@sealhouse/npm-protocol/client";
import { SourceError } from "../candidate.ts";
import type { ReportKeeper } from "../report.ts";
import type { Taken } from "../take.ts";
import type { SourcePackage } from "./npm-source.ts";
import type { SettlePorts } from "./settle-package.ts";
import { settlePackage, tagsToMove } from "./settle-package.ts";

export type TakeNpmPorts = AdoptPorts & SettlePorts & { readonly lookup: NpmLookup };

export type TakeNpmOptions = {
  readonly caller: Caller;
  readonly now: () => Date;
  readonly dryRun: boolean;
  /** Of one tarball. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly keeper: ReportKeeper;
  /** Whether a version is wanted at all. */
  readonly includes: (name: string, version: string) => boolean;
  /** Called after each version; throws to end the import. */
  readonly onProgress: () => void;
};

const ATTEMPTS_MAX = 3;
const FIRST_TIME = new Date("2009-01-01T00:00:00Z");

/**
 * Takes the wanted versions of one package that are not here yet, oldest first, and then gives it
 * the tags, deprecations and owners of the source. Gives whether there is nothing left to try
 * again.
 */
export async function takePackage(
  ports: TakeNpmPorts,
  source: SourcePackage,
  options: TakeNpmOptions,
): Promise<boolean> {
  const { packument } = source;
  const { keeper, signal, includes } = options;
  const name = parseOldPackageName(packument.name);
  if (!name) {
    keeper.add(refused(`"${packument.name}" is no package name.`), about(packument.name));
    return true;
  }
  for (const reason of unreadable(packument)) keeper.add(refused(reason), about(name));
  const before = await ports.lookup.find(name);
  const wanted = packument.versions.filter(({ version }) => includes(name, version));
  let fine = true;
  for (const version of wanted.toSorted(byTime)) {
    signal.throwIfAborted();
    const taken = await takeVersion(ports, { source, name, version, before }, options);
    keeper.add(taken, about(`${name}@${version.version}`));
    fine = fine && taken.status !== "failed";
    options.onProgress();
  }
  if (!options.dryRun) {
    await settlePackage(ports, packument, { caller: options.caller, isNew: before === undefined });
  }
  return fine;
}

/** What the document has, but does not describe. */
function unreadable({ document, versions }: RemotePackument): readonly string[] {
  const entries = Object.keys(document["versions"] ?? {});
  if (entries.length === 0) return ["The source has no version of it."];
  const known = new Set(versions.map(({ version }) => version));
  return entries
    .filter((version) => !known.has(version))
    .map((version) => `The source does not describe its version ${version.slice(0, 80)}.`);
}

type Asked = {
  readonly source: SourcePackage;
  readonly name: PackageName;
  readonly version: RemoteVersion;
  /** What is here before the import of this package. */
  readonly before: NpmPackage | undefined;
};

async function takeVersion(
  ports: TakeNpmPorts,
  asked: Asked,
  options: TakeNpmOptions,
): Promise<Taken> {
  const present = presentVersion(asked);
  if (present) return present;
  for (let attempt = 1; ; attempt++) {
    options.signal.throwIfAborted();
    try {
      return await takeOnce(ports, asked, options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof NpmError) return refused(error.message);
      if (!(error instanceof SourceError)) throw error;
      if (attempt === ATTEMPTS_MAX) return { status: "failed", reason: error.message };
    }
  }
}

/** What is here is left alone; other bytes under the same number are told. */
function presentVersion({ version, before }: Asked): Taken | undefined {
  const wanted = parsePackageVersion(version.version);
  const here = before?.versions.find((one) => one.version === wanted);
  if (!here) return undefined;
  const { integrity, shasum = here.shasum } = version.dist;
  const sha512 = Buffer.from(here.integrity.replace("sha512-", ""), "base64").toString("hex");
  const digests = { sha1: here.shasum, sha512 };
  const isSame =
    shasum.toLowerCase() === here.shasum &&
    (integrity === undefined || fitsIntegrity(integrity, digests));
  return isSame ? { status: "present" } : refused("This version is here, with other bytes.");
}

async function takeOnce(
  ports: TakeNpmPorts,
  { source, name, version, before }: Asked,
  options: TakeNpmOptions,
): Promise<Taken> {
  const { dryRun, caller, signal, now, maxBytes } = options;
  if (parsePackageVersion(version.version) === undefined) {
    return refused("It is no semantic version.");
  }
  if (dryRun && !source.isNear) return { status: "wanted", warnings: [] };
  const { packument } = source;
  const provenance = await source.provenance(version, signal);
  await using opened = await source.tarball(version, signal);
  if (!opened) return refused("The source does not have its tarball.");
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
  return takenAs(adopted);
}

function takenAs({ outcome, remarks }: Adopted): Taken {
  switch (outcome.status) {
    case "published":
      return { status: "imported", warnings: remarks };
    case "wanted":
      return { status: "wanted", warnings: remarks };
    case "replayed":
    case "exists":
      return { status: "present" };
    case "burnt":
      return refused("It was unpublished here, and a version is never used twice.");
    case "held": {
      const until = outcome.until.toISOString();
      return refused(`The package was unpublished here, and its name is kept until ${until}.`);
    }
  }
}

/** A time that is still to come is a wrong clock's, and so is one before there was npm: databases
 * do not take every year either. */
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

/** Those without a time come last, as the document has them. */
function byTime(one: RemoteVersion, other: RemoteVersion): number {
  const time = ({ publishedAt }: RemoteVersion) => publishedAt?.getTime() ?? Number.MAX_VALUE;
  return time(one) - time(other);
}

function refused(reason: string): Taken {
  return { status: "refused", reason };
}

function about(name: string) {
  return { name, kind: "package" } as const;
}
