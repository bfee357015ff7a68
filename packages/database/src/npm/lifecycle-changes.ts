import type { Caller } from "@sealhouse/request-types";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { NpmLifecycle } from "@sealhouse/npm-protocol";
import { latestOf } from "@sealhouse/npm-protocol";
import { sha256Of } from "../blobs/digest.ts";
import { releaseBlobs } from "../blobs/release-blobs.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { batches } from "../raw/batches.ts";
import type { Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textOf, timeOf } from "../raw/row.ts";
import { noteDependencies } from "./note-dependencies.ts";
import { findPackage, hasTag, pointTag, publisherOf, touchPackage } from "./npm-rows.ts";

export type NpmLifecycleChanges = Omit<NpmLifecycle, "manifestBytes">;

export function createNpmLifecycleChanges(changes: Changes): NpmLifecycleChanges {
  return {
    deprecate: (name, texts, caller) => deprecate(changes, { name, texts }, caller),
    unpublish: (name, wanted, caller) => unpublish(changes, { name, ...wanted }, caller),
  };
}

/** Versions in one statement. */
const ROWS_AT_ONCE = 100;

const TEXTS: Statement = {
  name: "npm-versions-to-deprecate",
  sql: `select v.id, v.version, v.deprecated
    from npm_packages p join npm_versions v on v.package_id = p.id
    where p.name = ? order by v.id`,
};

type Deprecating = {
  readonly name: string;
  readonly texts: ReadonlyMap<string, string | undefined>;
};

function deprecate(
  changes: Changes,
  wanted: Deprecating,
  caller: Caller,
): Promise<readonly string[] | undefined> {
  const { name } = wanted;
  return changes.transaction(async (unit) => {
    const early = await differing(unit, wanted);
    if (!early || early.length === 0) return early && [];
    await changes.stale(unit, `npm/${name}`);
    // Repeated after the lock, because another change of this package may have preceded.
    const packageId = await findPackage(unit, name);
    const changing = await differing(unit, wanted);
    if (packageId === undefined || !changing) return undefined;
    for (const [text, versions] of Map.groupBy(changing, (one) => one.text)) {
      for (const some of batches(versions, ROWS_AT_ONCE)) {
        await writeText(changes, unit, { name, text, versions: some, caller });
      }
    }
    if (changing.length > 0) await touchPackage(unit, packageId, { now: changes.now() });
    return changing.map(({ version }) => version);
  });
}

type Differing = { readonly id: number; readonly version: string; readonly text?: string };

/** Returns the requested versions with a different text; undefined for an unknown package. */
async function differing(
  unit: Unit,
  { name, texts }: Deprecating,
): Promise<readonly Differing[] | undefined> {
  const rows = await unit.read(TEXTS, [name]);
  if (rows.length === 0) return undefined;
  return rows.flatMap((row) => {
    const version = textOf(row, "version");
    if (!texts.has(version)) return [];
    const given = texts.get(version);
    const text = given === undefined ? undefined : storableText(given);
    if (text === optionalTextOf(row, "deprecated")) return [];
    return [{ id: numberOf(row, "id"), version, ...(text !== undefined && { text }) }];
  });
}

async function writeText(
  changes: Changes,
  unit: Unit,
  written: {
    readonly name: string;
    readonly text: string | undefined;
    readonly versions: readonly Differing[];
    readonly caller: Caller;
  },
): Promise<void> {
  const { name, text, versions, caller } = written;
  const sql = `update npm_versions set deprecated = ?
    where id in (${versions.map(() => "?").join(", ")})`;
  await unit.run({ sql }, [text, ...versions.map(({ id }) => id)]);
  for (const { version } of versions) {
    const subject = `npm/${name}@${version}`;
    const detail = text === undefined ? { lifted: true } : { message: text };
    await changes.event(unit, { type: "package.deprecated", subject, caller, detail });
  }
  // SQLite answers at once; others must get their turn in between.
  await yieldToEventLoop();
}

const PACKAGE: Statement = {
  name: "npm-package-revision",
  sql: "select id, revision from npm_packages where name = ?",
};
const VERSIONS: Statement = {
  name: "npm-versions-to-unpublish",
  sql: `select v.id, v.version, v.integrity, v.published_at, v.blob_id, b.size, b.digest
    from npm_versions v join blobs b on b.id = v.blob_id
    where v.package_id = ? order by v.id`,
};
const DROP_TAGS: Statement = {
  name: "npm-version-tags-drop",
  sql: "delete from npm_tags where version_id = ?",
};
const DROP_VERSION: Statement = {
  name: "npm-version-drop",
  sql: "delete from npm_versions where id = ?",
};
const BURY: Statement = {
  name: "npm-tombstone-insert",
  sql: `insert into npm_tombstones (name, version, integrity, published_at, removed_at, removed_by)
    values (?, ?, ?, ?, ?, ?)`,
};
const DROP_PACKAGE: Statement = {
  name: "npm-package-drop",
  sql: "delete from npm_packages where id = ?",
};
const HOLD: Statement = {
  name: "npm-removed-name-insert",
  sql: "insert into npm_removed_names (name, removed_at, removed_by) values (?, ?, ?)",
};
const FORGET_README: Statement = {
  name: "npm-readme-drop",
  sql: "update npm_packages set readme = null, readme_filename = null where id = ?",
};

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
    const [found] = await unit.read(PACKAGE, [name]);
    if (!found) return "absent";
    if (numberOf(found, "revision") !== revision) return "changed";
    const packageId = numberOf(found, "id");
    const standing = (await unit.read(VERSIONS, [packageId])).map(standingVersion);
    const wanted = versions === "all" ? undefined : new Set(versions);
    const leaving = standing.filter(({ version }) => wanted?.has(version) ?? true);
    if (leaving.length === 0) return "absent";

    for (const one of leaving) await remove(changes, unit, { name, removed: one, caller });
    const remaining = standing.filter((one) => !leaving.includes(one));
    if (remaining.length === 0) await removePackage(changes, unit, { name, packageId, caller });
    else await settle(changes, unit, { packageId, remaining });
    const blobIds = leaving.map(({ blobId }) => blobId);
    await releaseBlobs(unit, blobIds, "npm");
    return "deleted";
  });
}

type Standing = ReturnType<typeof standingVersion>;

function standingVersion(row: Parameters<typeof textOf>[0]) {
  return {
    id: numberOf(row, "id"),
    version: textOf(row, "version"),
    integrity: textOf(row, "integrity"),
    publishedAt: timeOf(row, "published_at"),
    blobId: numberOf(row, "blob_id"),
    size: numberOf(row, "size"),
    sha256: sha256Of(textOf(row, "digest")),
  };
}

async function remove(
  changes: Changes,
  unit: Unit,
  { name, removed, caller }: { name: string; removed: Standing; caller: Caller },
): Promise<void> {
  const { id, version, integrity, publishedAt, size, sha256 } = removed;
  await unit.run(DROP_TAGS, [id]);
  await unit.run(DROP_VERSION, [id]);
  const by = [changes.now(), publisherOf(caller)];
  await unit.run(BURY, [name, version, integrity, publishedAt, ...by]);
  const subject = `npm/${name}@${version}`;
  const detail = { size, sha256 };
  await changes.event(unit, { type: "package.deleted", subject, caller, detail });
}

async function removePackage(
  changes: Changes,
  { run }: Unit,
  { name, packageId, caller }: { name: string; packageId: number; caller: Caller },
): Promise<void> {
  await run(DROP_PACKAGE, [packageId]);
  await run(HOLD, [name, changes.now(), publisherOf(caller)]);
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
    await unit.run(FORGET_README, [packageId]);
    await noteDependencies(unit, packageId);
  }
  await touchPackage(unit, packageId, { now: changes.now() });
}
