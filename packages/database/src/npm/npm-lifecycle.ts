import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { sql } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import type { NpmLifecycle } from "@sealhouse/npm-protocol";
import { latestOf } from "@sealhouse/npm-protocol";
import { sha256Of } from "../blobs/digest.ts";
import { releaseBlobs } from "../blobs/release-blobs.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PortContext } from "../port-context.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { batches } from "../raw/batches.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { keepVersions } from "./kept-versions.ts";
import { noteLatest } from "./note-latest.ts";
import { noteEntry } from "./search/note-entry.ts";
import { findPackage, hasTag, pointTag, publisherOf, touchPackage } from "./npm-rows.ts";
import { npmVersions } from "../statements/versions-of.ts";

/** Versions between two turns of other requests. */
const VERSIONS_AT_ONCE = 100;

const NAME = { name: param.text(214) };
const ID = { id: param.whole };

const MANIFEST_BYTES = defineStatement("npm-manifest-bytes", NAME, (db, { name }, own) =>
  npmVersions(db, name).select(own.sum(own.textByteLength(sql.ref("v.manifest"))).as("bytes")),
);
const TEXTS = defineStatement("npm-versions-to-deprecate", NAME, (db, { name }) =>
  npmVersions(db, name).select(["v.id", "v.version", "v.deprecated"]).orderBy("v.id"),
);
const DEPRECATE = defineStatement(
  "npm-version-deprecate",
  { ...ID, text: param.optional(param.longText) },
  (db, { id, text }) =>
    db.updateTable("npm_versions").set({ deprecated: text }).where("id", "=", id),
);
const PACKAGE = defineStatement("npm-package-revision", NAME, (db, { name }) =>
  db.selectFrom("npm_packages").where("name", "=", name).select(["id", "revision"]),
);
const VERSIONS = defineStatement(
  "npm-versions-to-unpublish",
  { packageId: param.whole },
  (db, { packageId }) =>
    db
      .selectFrom("npm_versions as v")
      .innerJoin("blobs as b", "b.id", "v.blob_id")
      .where("v.package_id", "=", packageId)
      .select([
        "v.id",
        "v.version",
        "v.integrity",
        "v.published_at",
        "v.blob_id",
        "b.size",
        "b.digest",
      ])
      .orderBy("v.id"),
);
const DROP_TAGS = defineStatement("npm-version-tags-drop", ID, (db, { id }) =>
  db.deleteFrom("npm_tags").where("version_id", "=", id),
);
const DROP_VERSION = defineStatement("npm-version-drop", ID, (db, { id }) =>
  db.deleteFrom("npm_versions").where("id", "=", id),
);
const REMOVED = { removedAt: param.time, removedBy: param.text(NAME_LENGTH.actor) };
const BURY = defineStatement(
  "npm-tombstone-insert",
  {
    ...NAME,
    ...REMOVED,
    version: param.text(256),
    integrity: param.text(255),
    publishedAt: param.time,
  },
  (db, parameters) => db.insertInto("npm_tombstones").values(inColumns(parameters)),
);
const DROP_PACKAGE = defineStatement("npm-package-drop", ID, (db, { id }) =>
  db.deleteFrom("npm_packages").where("id", "=", id),
);
const HOLD = defineStatement("npm-removed-name-insert", { ...NAME, ...REMOVED }, (db, parameters) =>
  db.insertInto("npm_removed_names").values(inColumns(parameters)),
);
const FORGET_README = defineStatement("npm-readme-drop", ID, (db, { id }) =>
  db
    .updateTable("npm_packages")
    .set({ readme: sql.lit(null), readme_filename: sql.lit(null) })
    .where("id", "=", id),
);

export function createNpmLifecycle({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): NpmLifecycle {
  return {
    manifestBytes: async (name) => (await queries.one(MANIFEST_BYTES, { name }))?.bytes ?? 0,
    deprecate: (name, texts, caller) => deprecate(changes, { name, texts }, caller),
    unpublish: (name, selection, caller) => unpublish(changes, { name, ...selection }, caller),
  };
}

type Deprecating = {
  readonly name: string;
  readonly texts: ReadonlyMap<string, string | undefined>;
};

function deprecate(
  changes: Changes,
  deprecation: Deprecating,
  caller: Caller,
): Promise<readonly string[] | undefined> {
  const { name } = deprecation;
  return changes.transaction(async (unit) => {
    const early = await differing(unit, deprecation);
    if (!early || early.length === 0) return early && [];
    await changes.stale(unit, `npm/${name}`);
    // Repeated after the lock, because another change of this package may have preceded.
    const packageId = await findPackage(unit, name);
    const changing = await differing(unit, deprecation);
    if (packageId === undefined || !changing) return undefined;
    for (const some of batches(changing, VERSIONS_AT_ONCE)) {
      for (const difference of some)
        await writeText(changes, unit, { ...difference, name, caller });
      // SQLite answers at once; others must get their turn in between.
      await yieldToEventLoop();
    }
    if (changing.length > 0) {
      await noteEntry(unit, packageId);
      await touchPackage(unit, packageId, { now: changes.now() });
    }
    return changing.map(({ version }) => version);
  });
}

type Differing = { readonly id: number; readonly version: string; readonly text?: string };

/** Returns the requested versions with a different text; undefined for an unknown package. */
async function differing(
  unit: Unit,
  { name, texts }: Deprecating,
): Promise<readonly Differing[] | undefined> {
  const rows = await unit.queries.all(TEXTS, { name });
  if (rows.length === 0) return undefined;
  return rows.flatMap(({ id, version, deprecated }) => {
    if (!texts.has(version)) return [];
    const newText = texts.get(version);
    const text = newText === undefined ? undefined : storableText(newText);
    if (text === (deprecated ?? undefined)) return [];
    return [{ id, version, ...(text !== undefined && { text }) }];
  });
}

async function writeText(
  changes: Changes,
  unit: Unit,
  written: Differing & { readonly name: string; readonly caller: Caller },
): Promise<void> {
  const { id, name, version, text, caller } = written;
  await unit.queries.run(DEPRECATE, { id, text });
  const subject = `npm/${name}@${version}`;
  const detail = text === undefined ? { lifted: true } : { message: text };
  await changes.event(unit, { type: "package.deprecated", subject, caller, detail });
}

type Unpublishing = {
  readonly name: string;
  readonly versions: readonly string[] | "all";
  readonly revision: number;
};

function unpublish(
  changes: Changes,
  { name, versions, revision }: Unpublishing,
  caller: Caller,
): ReturnType<NpmLifecycle["unpublish"]> {
  return changes.transaction(async (unit) => {
    if ((await findPackage(unit, name)) === undefined) return "absent";
    await changes.stale(unit, `npm/${name}`);
    // Queried after the lock, because another change of this package may have preceded.
    const row = await unit.queries.one(PACKAGE, { name });
    if (!row) return "absent";
    if (row.revision !== revision) return "changed";
    const packageId = row.id;
    const standing = (await unit.queries.all(VERSIONS, { packageId })).map(standingVersion);
    const wantedVersions = versions === "all" ? undefined : new Set(versions);
    const leaving = standing.filter(({ version }) => wantedVersions?.has(version) ?? true);
    if (leaving.length === 0) return "absent";

    await keepVersions(changes, unit, { name, leaving });
    for (const versionRow of leaving)
      await remove(changes, unit, { name, removed: versionRow, caller });
    const remaining = standing.filter((entry) => !leaving.includes(entry));
    if (remaining.length === 0) await removePackage(changes, unit, { name, packageId, caller });
    else await settle(changes, unit, { packageId, remaining });
    const blobIds = leaving.map(({ blobId }) => blobId);
    await releaseBlobs(unit, blobIds, "npm");
    return "deleted";
  });
}

type Standing = ReturnType<typeof standingVersion>;

function standingVersion(row: RowOf<typeof VERSIONS>) {
  return {
    id: row.id,
    version: row.version,
    integrity: row.integrity,
    publishedAt: row.published_at,
    blobId: row.blob_id,
    size: row.size,
    sha256: sha256Of(row.digest),
  };
}

async function remove(
  changes: Changes,
  unit: Unit,
  { name, removed, caller }: { name: string; removed: Standing; caller: Caller },
): Promise<void> {
  const { id, version, integrity, publishedAt, size, sha256 } = removed;
  const { queries } = unit;
  await queries.run(DROP_TAGS, { id });
  await queries.run(DROP_VERSION, { id });
  const by = { removedAt: changes.now(), removedBy: publisherOf(caller) };
  await queries.run(BURY, { name, version, integrity, publishedAt, ...by });
  const subject = `npm/${name}@${version}`;
  const detail = { size, sha256 };
  await changes.event(unit, { type: "package.deleted", subject, caller, detail });
}

async function removePackage(
  changes: Changes,
  { queries }: Unit,
  { name, packageId, caller }: { name: string; packageId: number; caller: Caller },
): Promise<void> {
  await queries.run(DROP_PACKAGE, { id: packageId });
  const by = { removedAt: changes.now(), removedBy: publisherOf(caller) };
  await queries.run(HOLD, { name, ...by });
}

/**
 * Sets `latest` to a remaining version. Removes the readme with the tag, because it may belong to a
 * deleted version.
 */
async function settle(
  changes: Changes,
  unit: Unit,
  { packageId, remaining }: { packageId: number; remaining: readonly Standing[] },
): Promise<void> {
  if (!(await hasTag(unit, packageId, "latest"))) {
    const latest = latestOf(remaining.map(({ version }) => version));
    const target = remaining.find(({ version }) => version === latest);
    if (target) await pointTag(unit, { packageId, tag: "latest", versionId: target.id });
    await unit.queries.run(FORGET_README, { id: packageId });
    await noteLatest(unit, packageId);
  }
  await touchPackage(unit, packageId, { now: changes.now() });
}
