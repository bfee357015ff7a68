import { LockMode, raw } from "@mikro-orm/core";
import type { Caller, NewNpmVersion } from "@sealhouse/npm-protocol";
import { NAME_LENGTH } from "../entities/columns.ts";
import { NpmPackage, NpmTag, NpmVersion } from "../entities/npm.ts";
import { storableText } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";

/** How long a client's repeated publish counts as a repetition and not as somebody else's. */
const REPLAY_MS = 15 * 60_000;

export async function findPackage({ catalog }: Unit, name: string) {
  const row = await catalog.findOne(
    NpmPackage,
    { name },
    { fields: ["id"], disableIdentityMap: true },
  );
  return row ?? undefined;
}

/** The package's row as it is now, for this transaction alone until it ends. */
export async function lockPackage({ catalog }: Unit, name: string) {
  const row = await catalog.findOne(
    NpmPackage,
    { name },
    { fields: ["id"], lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true },
  );
  return row ?? undefined;
}

export function insertPackage({ catalog }: Unit, given: NewNpmVersion): Promise<number> {
  const { name, publishedAt } = given;
  const at = { createdAt: publishedAt, modifiedAt: publishedAt };
  return catalog.insert(NpmPackage, { name, revision: 0, ...at });
}

export async function findVersion({ catalog }: Unit, packageId: number, version: string) {
  const row = await catalog.findOne(
    NpmVersion,
    { package: packageId, version },
    { fields: ["id", "integrity", "publishedAt", "publishedBy"], disableIdentityMap: true },
  );
  return row ?? undefined;
}

export async function hasTag({ catalog }: Unit, packageId: number, tag: string): Promise<boolean> {
  return (await catalog.count(NpmTag, { package: packageId, tag })) > 0;
}

export async function pointTag(
  { catalog }: Unit,
  wanted: { readonly packageId: number; readonly tag: string; readonly versionId: number },
): Promise<void> {
  const { packageId, tag, versionId } = wanted;
  const where = { package: packageId, tag };
  const moved = await catalog.nativeUpdate(NpmTag, where, { version: versionId });
  if (moved === 0) await catalog.insert(NpmTag, { ...where, version: versionId });
}

/** Raises the revision and moves the time of the last change, never back. `readmeOf` is the
 * version that `latest` now points to, when a publish has moved it. */
export async function touchPackage(
  { catalog }: Unit,
  packageId: number,
  { now, readmeOf }: { readonly now: Date; readonly readmeOf?: NewNpmVersion },
): Promise<void> {
  const next = raw("revision + 1");
  await catalog.nativeUpdate(
    NpmPackage,
    { id: packageId },
    {
      revision: next,
      ...(readmeOf && {
        readme: readmeOf.readme === undefined ? null : storableText(readmeOf.readme),
        readmeFilename:
          readmeOf.readmeFilename === undefined ? null : storableText(readmeOf.readmeFilename),
      }),
    },
  );
  await catalog.nativeUpdate(
    NpmPackage,
    { id: packageId, modifiedAt: { $lt: now } },
    { modifiedAt: now },
  );
}

export function isReplay(
  taken: { readonly integrity: string; readonly publishedAt: Date; readonly publishedBy: string },
  given: NewNpmVersion,
  caller: Caller,
): boolean {
  const ageMs = given.publishedAt.getTime() - taken.publishedAt.getTime();
  const same = taken.integrity === given.integrity && taken.publishedBy === publisherOf(caller);
  return same && ageMs <= REPLAY_MS;
}

export function publisherOf({ actor }: Caller): string {
  return storableText(actor).slice(0, NAME_LENGTH.actor);
}

export function versionRow(given: NewNpmVersion) {
  const { name, description, keywords } = given;
  return {
    version: given.version,
    manifest: storableText(given.manifest),
    abbreviated: storableText(given.abbreviated),
    integrity: given.integrity,
    shasum: given.shasum,
    fileCount: given.fileCount,
    unpackedSize: given.unpackedSize,
    publishedAt: given.publishedAt,
    description: storableText(description),
    keywords: JSON.stringify(keywords),
    searchText: storableText([name, description, ...keywords].join("\n").toLowerCase()),
    downloads: 0,
  };
}
