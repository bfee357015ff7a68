import { sql } from "#kysely";
import type { Kysely } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import type { NewNpmVersion, Published } from "@sealhouse/npm-protocol";
import { DIST_TAGS_MAX, NAME_HOLD_MS } from "@sealhouse/npm-protocol";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { storableText } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import { defineStatement } from "../statements/statement.ts";
import { npmVersions } from "../statements/versions-of.ts";
import type { Tables } from "../statements/tables.ts";

/** Milliseconds within which the same publish counts as a client's retry. */
const REPLAY_MS = 15 * 60_000;

const NAME = { name: param.text(214) };
const VERSION_NAME = { ...NAME, version: param.text(256) };
const ID = { id: param.whole };
const PACKAGE_ID = { packageId: param.whole };
const TAG_NAME = { ...PACKAGE_ID, tag: param.text(214) };
const TAG_TARGET = { ...TAG_NAME, versionId: param.whole };

const README_TEXTS = {
  readme: param.optional(param.longText),
  filename: param.optional(param.longText),
};

const PACKAGE = defineStatement("npm-package-for-change", NAME, (db, { name }) =>
  db.selectFrom("npm_packages").where("name", "=", name).select("id"),
);
const VERSION = defineStatement("npm-version-for-change", VERSION_NAME, (db, { name, version }) =>
  npmVersions(db, name)
    .where("v.version", "=", version)
    .select([
      "v.id",
      "v.package_id",
      "v.integrity",
      "v.published_at",
      "v.published_by",
      "v.published_tags",
    ]),
);
const TAG = defineStatement("npm-tag-for-change", TAG_NAME, (db, { packageId, tag }) =>
  db
    .selectFrom("npm_tags")
    .where("package_id", "=", packageId)
    .where("tag", "=", tag)
    .select("version_id"),
);
const TAG_COUNT = defineStatement("npm-tag-count", PACKAGE_ID, (db, { packageId }) =>
  db
    .selectFrom("npm_tags")
    .where("package_id", "=", packageId)
    .select((row) => row.fn.countAll<number>().as("tags")),
);
const RESERVATION = defineStatement("npm-reservation", VERSION_NAME, (db, { name, version }) =>
  db
    .selectFrom("npm_tombstones")
    .where("name", "=", name)
    .where("version", "=", version)
    .select([sql.lit("deleted").as("reason"), "removed_at", "removed_by"])
    .unionAll(
      db
        .selectFrom("npm_removed_names")
        .where("name", "=", name)
        .select([sql.lit("reserved").as("reason"), "removed_at", "removed_by"]),
    ),
);
const NEW_PACKAGE = defineStatement(
  "npm-package-insert",
  {
    ...NAME,
    createdAt: param.time,
    modifiedAt: param.time,
    maintainers: param.longText,
    access: param.optional(param.text(16)),
    ...README_TEXTS,
  },
  (db, { filename, ...row }) =>
    db
      .insertInto("npm_packages")
      .values({ ...inColumns(row), revision: sql.lit(1), readme_filename: filename }),
);
const NEW_VERSION = defineStatement(
  "npm-version-insert",
  {
    packageId: param.whole,
    version: param.text(256),
    blobId: param.whole,
    manifest: param.longText,
    abbreviated: param.longText,
    integrity: param.text(255),
    shasum: param.text(40),
    fileCount: param.whole,
    unpackedSize: param.whole,
    publishedAt: param.time,
    publishedBy: param.text(255),
    publishedTags: param.longText,
    deprecated: param.optional(param.longText),
    signatures: param.optional(param.longText),
    dependencyNames: param.longText,
    description: param.longText,
    keywords: param.longText,
    searchText: param.longText,
  },
  (db, parameters) =>
    db.insertInto("npm_versions").values({ ...inColumns(parameters), downloads: sql.lit(0) }),
);
const RELEASE = defineStatement("npm-removed-name-drop", NAME, (db, { name }) =>
  db.deleteFrom("npm_removed_names").where("name", "=", name),
);
const MOVE_TAG = defineStatement("npm-tag-move", TAG_TARGET, (db, parameters) =>
  db
    .updateTable("npm_tags")
    .set({ version_id: parameters.versionId })
    .where("package_id", "=", parameters.packageId)
    .where("tag", "=", parameters.tag),
);
const NEW_TAG = defineStatement("npm-tag-insert", TAG_TARGET, (db, parameters) =>
  db.insertInto("npm_tags").values({
    package_id: parameters.packageId,
    tag: parameters.tag,
    version_id: parameters.versionId,
  }),
);
const DROP_TAG = defineStatement("npm-tag-drop", TAG_NAME, (db, { packageId, tag }) =>
  db.deleteFrom("npm_tags").where("package_id", "=", packageId).where("tag", "=", tag),
);
const TOUCHED = { ...ID, now: param.time };
const TOUCH = defineStatement("npm-package-touch", TOUCHED, (db, parameters) =>
  touched(db, parameters),
);
const TOUCH_README = defineStatement(
  "npm-package-touch-readme",
  { ...TOUCHED, ...README_TEXTS },
  (db, parameters) =>
    touched(db, parameters).set({
      readme: parameters.readme,
      readme_filename: parameters.filename,
    }),
);

function touched(db: Kysely<Tables>, { id, now }: Parameters<typeof TOUCHED>) {
  return db
    .updateTable("npm_packages")
    .set((eb) => ({
      revision: eb("revision", "+", sql.lit(1)),
      modified_at: eb
        .case()
        .when("modified_at", "<", now)
        .then(now)
        .else(eb.ref("modified_at"))
        .end(),
    }))
    .where("id", "=", id);
}

export type ExistingVersion = {
  readonly id: number;
  readonly packageId: number;
  readonly integrity: string;
  readonly publishedAt: Date;
  readonly publishedBy: string;
  readonly publishedTags: string;
};

export async function findPackage({ queries }: Unit, name: string): Promise<number | undefined> {
  return (await queries.one(PACKAGE, { name }))?.id;
}

/** Inserts a package with its maintainers and its first readme. The first publisher also chooses
 * its access. */
export async function insertPackage(
  unit: Unit,
  newVersion: NewNpmVersion,
  { handles, now }: { readonly handles: readonly string[]; readonly now: Date },
): Promise<number> {
  const { name, publishedAt, access } = newVersion;
  const maintainers = JSON.stringify(handles.map((handle) => ({ name: handle })));
  unit.createsName();
  return unit.queries.insert(NEW_PACKAGE, {
    name,
    createdAt: publishedAt,
    modifiedAt: publishedAt < now ? now : publishedAt,
    maintainers,
    access,
    ...readmeTexts(newVersion),
  });
}

/** Ends the reservation of a removed name. */
export async function releaseName({ queries }: Unit, name: string): Promise<void> {
  await queries.run(RELEASE, { name });
}

export type Reservation =
  | { readonly status: "deleted" }
  | { readonly status: "reserved"; readonly until: Date };

/**
 * Returns the reservation that prevents a publish. An unpublished version keeps its number
 * permanently. An unpublished package keeps its name for its former publisher for a while.
 */
export async function findReservation(
  { queries }: Unit,
  newVersion: NewNpmVersion,
  caller: Caller,
): Promise<Reservation | undefined> {
  const { name, version } = newVersion;
  const rows = await queries.all(RESERVATION, { name, version });
  if (rows.some((row) => row.reason === "deleted")) return { status: "deleted" };
  const [row] = rows;
  return row && reservedUntil(row, newVersion, caller);
}

/** The reservation of a removed name, unless it is the caller's or has ended. */
export function reservedUntil(
  removed: { readonly removed_at: Date; readonly removed_by: string },
  { publishedAt, recordedAt = publishedAt }: NewNpmVersion,
  caller: Caller,
): Reservation | undefined {
  if (removed.removed_by === publisherOf(caller)) return undefined;
  const until = new Date(removed.removed_at.getTime() + NAME_HOLD_MS);
  return recordedAt < until ? { status: "reserved", until } : undefined;
}

export async function findVersion(
  { queries }: Unit,
  name: string,
  version: string,
): Promise<ExistingVersion | undefined> {
  const row = await queries.one(VERSION, { name, version });
  return (
    row && {
      id: row.id,
      packageId: row.package_id,
      integrity: row.integrity,
      publishedAt: row.published_at,
      publishedBy: row.published_by,
      publishedTags: row.published_tags,
    }
  );
}

export async function hasTag({ queries }: Unit, packageId: number, tag: string): Promise<boolean> {
  return (await queries.one(TAG, { packageId, tag })) !== undefined;
}

/** Points a tag of a new package. */
export async function addTag(
  { queries }: Unit,
  target: { readonly packageId: number; readonly tag: string; readonly versionId: number },
): Promise<void> {
  await queries.run(NEW_TAG, target);
}

/** Whether a package may have these tags as well, `DIST_TAGS_MAX` in all. */
export async function hasRoomForTags(
  unit: Unit,
  packageId: number,
  tags: readonly string[],
): Promise<boolean> {
  const present = (await unit.queries.one(TAG_COUNT, { packageId }))?.tags ?? 0;
  if (present + tags.length <= DIST_TAGS_MAX) return true;
  let missing = 0;
  for (const tag of new Set(tags)) {
    if (!(await hasTag(unit, packageId, tag))) missing += 1;
  }
  return missing === 0 || present + missing <= DIST_TAGS_MAX;
}

export async function pointTag(
  { queries }: Unit,
  target: { readonly packageId: number; readonly tag: string; readonly versionId: number },
): Promise<void> {
  const moved = await queries.run(MOVE_TAG, target);
  if (moved === 0) await queries.run(NEW_TAG, target);
}

/** Whether it was there. */
export async function dropTag({ queries }: Unit, packageId: number, tag: string) {
  return (await queries.run(DROP_TAG, { packageId, tag })) > 0;
}

/** Raises the revision and moves the time of the last change, never back. `readmeOf` is the
 * version that `latest` now points to, when a publish has moved it. */
export async function touchPackage(
  { queries }: Unit,
  packageId: number,
  { now, readmeOf }: { readonly now: Date; readonly readmeOf?: NewNpmVersion },
): Promise<void> {
  const touch = { id: packageId, now };
  if (readmeOf) await queries.run(TOUCH_README, { ...touch, ...readmeTexts(readmeOf) });
  else await queries.run(TOUCH, touch);
}

function readmeTexts({ readme, readmeFilename }: NewNpmVersion) {
  const text = (content: string | undefined) => content && storableText(content);
  return { readme: text(readme), filename: text(readmeFilename) };
}

/** Returns the outcome of publishing an existing version. */
export function repeated(
  taken: ExistingVersion,
  newVersion: NewNpmVersion,
  caller: Caller,
): Extract<Published, { readonly status: "replayed" | "exists" }> {
  if (newVersion.blob.isRestored && taken.integrity === newVersion.integrity) {
    return { status: "replayed", isRestored: true };
  }
  const ageMs = newVersion.publishedAt.getTime() - taken.publishedAt.getTime();
  const same =
    taken.integrity === newVersion.integrity && taken.publishedBy === publisherOf(caller);
  if (!same || ageMs > REPLAY_MS) return { status: "exists" };
  const hasSameTags = taken.publishedTags === tagsText(newVersion);
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

export function insertVersion(
  { queries }: Unit,
  newVersion: NewNpmVersion,
  place: VersionPlace,
): Promise<number> {
  const { version, description, keywords, signatures, deprecated } = newVersion;
  return queries.insert(NEW_VERSION, {
    ...place,
    version,
    manifest: storableText(newVersion.manifest),
    abbreviated: storableText(newVersion.abbreviated),
    integrity: newVersion.integrity,
    shasum: newVersion.shasum,
    fileCount: newVersion.fileCount,
    unpackedSize: newVersion.unpackedSize,
    publishedAt: newVersion.publishedAt,
    publishedTags: tagsText(newVersion),
    deprecated: deprecated && storableText(deprecated),
    signatures: signatures && JSON.stringify(signatures),
    dependencyNames: JSON.stringify(newVersion.dependencyNames),
    description: storableText(description),
    keywords: JSON.stringify(keywords),
    // Only instances before the index of words read it.
    searchText: "",
  });
}
