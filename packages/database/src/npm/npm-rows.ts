import type { Caller } from "@sealhouse/request-types";
import type { NewNpmVersion, Published } from "@sealhouse/npm-protocol";
import { NAME_HOLD_MS } from "@sealhouse/npm-protocol";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { storableText } from "../orm/changes.ts";
import type { PlainUnit } from "../orm/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textOf, timeOf } from "../raw/row.ts";

/** How long a client's repeated publish counts as a repetition and not as somebody else's. */
const REPLAY_MS = 15 * 60_000;

const PACKAGE: Statement = {
  name: "npm-package-for-change",
  sql: "select id from npm_packages where name = ?",
};
const VERSION: Statement = {
  name: "npm-version-for-change",
  sql: `select v.id, v.package_id, v.integrity, v.published_at, v.published_by, v.published_tags
    from npm_packages p join npm_versions v on v.package_id = p.id
    where p.name = ? and v.version = ?`,
};
const TAG: Statement = {
  name: "npm-tag-for-change",
  sql: "select version_id from npm_tags where package_id = ? and tag = ?",
};
const RESERVATION: Statement = {
  name: "npm-reservation",
  sql: `select 'deleted' as reason, removed_at, removed_by from npm_tombstones
      where name = ? and version = ?
    union all select 'reserved', removed_at, removed_by from npm_removed_names where name = ?`,
};
const NEW_PACKAGE: Statement = {
  name: "npm-package-insert",
  sql: `insert into npm_packages (name, revision, created_at, modified_at, maintainers, access)
    values (?, 0, ?, ?, ?, ?)`,
};
const NEW_VERSION: Statement = {
  name: "npm-version-insert",
  sql: `insert into npm_versions (package_id, version, blob_id, manifest, abbreviated, integrity,
    shasum, file_count, unpacked_size, published_at, published_by, published_tags, signatures,
    dependency_names, description, keywords, search_text, downloads)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
};
const NEW_VERSION_ID: Statement = {
  name: "npm-version-inserted",
  sql: "select id from npm_versions where package_id = ? and version = ?",
};
const RELEASE: Statement = {
  name: "npm-removed-name-drop",
  sql: "delete from npm_removed_names where name = ?",
};
const MOVE_TAG: Statement = {
  name: "npm-tag-move",
  sql: "update npm_tags set version_id = ? where package_id = ? and tag = ?",
};
const NEW_TAG: Statement = {
  name: "npm-tag-insert",
  sql: "insert into npm_tags (package_id, tag, version_id) values (?, ?, ?)",
};
const DROP_TAG: Statement = {
  name: "npm-tag-drop",
  sql: "delete from npm_tags where package_id = ? and tag = ?",
};
const README: Statement = {
  name: "npm-readme",
  sql: "update npm_packages set readme = ?, readme_filename = ? where id = ?",
};
const TOUCH: Statement = {
  name: "npm-package-touch",
  sql: `update npm_packages set revision = revision + 1,
    modified_at = case when modified_at < ? then ? else modified_at end where id = ?`,
};

export type TakenVersion = {
  readonly id: number;
  readonly packageId: number;
  readonly integrity: string;
  readonly publishedAt: Date;
  readonly publishedBy: string;
  readonly publishedTags: string | undefined;
};

export async function findPackage({ read }: PlainUnit, name: string): Promise<number | undefined> {
  const [row] = await read(PACKAGE, [name]);
  return row && numberOf(row, "id");
}

/** Whoever publishes a name first is its maintainer, and says who it is for. */
export async function insertPackage(
  { read, run }: PlainUnit,
  given: NewNpmVersion,
  caller: Caller,
): Promise<number> {
  const { name, publishedAt, access } = given;
  const maintainers = JSON.stringify([{ name: publisherOf(caller) }]);
  await run(RELEASE, [name]);
  await run(NEW_PACKAGE, [name, publishedAt, publishedAt, maintainers, access]);
  const [inserted = {}] = await read(PACKAGE, [name]);
  return numberOf(inserted, "id");
}

export type Reservation =
  | { readonly status: "deleted" }
  | { readonly status: "reserved"; readonly until: Date };

/** The reservation that prevents a publish: an unpublished version keeps its number for ever, and
 * an unpublished package keeps its name for its former publisher for a while. */
export async function findReservation(
  { read }: PlainUnit,
  given: NewNpmVersion,
  caller: Caller,
): Promise<Reservation | undefined> {
  const { name, version, recordedAt = given.publishedAt } = given;
  const rows = await read(RESERVATION, [name, version, name]);
  if (rows.some((row) => textOf(row, "reason") === "deleted")) return { status: "deleted" };
  const [row] = rows;
  if (!row || textOf(row, "removed_by") === publisherOf(caller)) return undefined;
  const until = new Date(timeOf(row, "removed_at").getTime() + NAME_HOLD_MS);
  return recordedAt < until ? { status: "reserved", until } : undefined;
}

export async function findVersion(
  { read }: PlainUnit,
  name: string,
  version: string,
): Promise<TakenVersion | undefined> {
  const [row] = await read(VERSION, [name, version]);
  return (
    row && {
      id: numberOf(row, "id"),
      packageId: numberOf(row, "package_id"),
      integrity: textOf(row, "integrity"),
      publishedAt: timeOf(row, "published_at"),
      publishedBy: textOf(row, "published_by"),
      publishedTags: optionalTextOf(row, "published_tags"),
    }
  );
}

export async function hasTag(
  { read }: PlainUnit,
  packageId: number,
  tag: string,
): Promise<boolean> {
  return (await read(TAG, [packageId, tag])).length > 0;
}

export async function pointTag(
  { run }: PlainUnit,
  wanted: { readonly packageId: number; readonly tag: string; readonly versionId: number },
): Promise<void> {
  const { packageId, tag, versionId } = wanted;
  const moved = await run(MOVE_TAG, [versionId, packageId, tag]);
  if (moved === 0) await run(NEW_TAG, [packageId, tag, versionId]);
}

/** Whether it was there. */
export async function dropTag({ run }: PlainUnit, packageId: number, tag: string) {
  return (await run(DROP_TAG, [packageId, tag])) > 0;
}

/** Raises the revision and moves the time of the last change, never back. `readmeOf` is the
 * version that `latest` now points to, when a publish has moved it. */
export async function touchPackage(
  { run }: PlainUnit,
  packageId: number,
  { now, readmeOf }: { readonly now: Date; readonly readmeOf?: NewNpmVersion },
): Promise<void> {
  await run(TOUCH, [now, now, packageId]);
  if (!readmeOf) return;
  const { readme, readmeFilename } = readmeOf;
  const text = (given: string | undefined) => given && storableText(given);
  await run(README, [text(readme), text(readmeFilename), packageId]);
}

/** What a publish of a version that is taken amounts to. */
export function repeated(
  taken: TakenVersion,
  given: NewNpmVersion,
  caller: Caller,
): Extract<Published, { readonly status: "replayed" | "exists" }> {
  const ageMs = given.publishedAt.getTime() - taken.publishedAt.getTime();
  const same = taken.integrity === given.integrity && taken.publishedBy === publisherOf(caller);
  if (!same || ageMs > REPLAY_MS) return { status: "exists" };
  const hasSameTags = taken.publishedTags === undefined || taken.publishedTags === tagsText(given);
  return hasSameTags ? { status: "replayed" } : { status: "exists", differs: "tags" };
}

function tagsText({ tags }: NewNpmVersion): string {
  return JSON.stringify(tags.toSorted());
}

export function publisherOf({ actor }: Caller): string {
  return storableText(actor).slice(0, NAME_LENGTH.actor);
}

export type VersionPlace = {
  readonly packageId: number;
  readonly blobId: number;
  readonly publishedBy: string;
};

export async function insertVersion(
  { read, run }: PlainUnit,
  given: NewNpmVersion,
  { packageId, blobId, publishedBy }: VersionPlace,
): Promise<number> {
  const { name, version, description, keywords, signatures } = given;
  await run(NEW_VERSION, [
    packageId,
    version,
    blobId,
    storableText(given.manifest),
    storableText(given.abbreviated),
    given.integrity,
    given.shasum,
    given.fileCount,
    given.unpackedSize,
    given.publishedAt,
    publishedBy,
    tagsText(given),
    signatures && JSON.stringify(signatures),
    JSON.stringify(given.dependencyNames),
    storableText(description),
    JSON.stringify(keywords),
    storableText([name, description, ...keywords].join("\n").toLowerCase()),
  ]);
  const [inserted = {}] = await read(NEW_VERSION_ID, [packageId, version]);
  return numberOf(inserted, "id");
}
