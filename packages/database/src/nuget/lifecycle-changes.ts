import type { Caller } from "@sealhouse/request-types";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Deprecation, PackageLifecycle } from "@sealhouse/nuget-protocol";
import { releaseBlobs } from "../blobs/release-blobs.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { batches } from "../raw/batches.ts";
import type { Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textOf } from "../raw/row.ts";
import { dropReplacedSeals } from "../signing/replace-seal.ts";
import { dropSymbols } from "./drop-symbols.ts";
import { noteUnlisted } from "./newest-versions.ts";
import { findVersion } from "./version-for-update.ts";
import type { VersionNames } from "./version-for-update.ts";
import { actorText, deprecationText } from "./version-row.ts";

export type LifecycleChanges = Omit<PackageLifecycle, "tombstones">;

export function createLifecycleChanges(changes: Changes): LifecycleChanges {
  return {
    delete: (id, version, caller) => deleteVersion(changes, namesOf(id, version), caller),
    deprecate: (id, versions, deprecation, caller) =>
      deprecate(changes, { lowerId: id.toLowerCase(), versions, deprecation }, caller),
    allowReuse: (id, version, caller) => allowReuse(changes, namesOf(id, version), caller),
  };
}

function namesOf(id: string, version: string): VersionNames {
  return { lowerId: id.toLowerCase(), lowerVersion: version.toLowerCase() };
}

const DROP_VERSION: Statement = {
  name: "nuget-version-drop",
  sql: "delete from nuget_versions where id = ?",
};
const BURY: Statement = {
  name: "nuget-tombstone-insert",
  sql: `insert into nuget_tombstones (lower_id, lower_version, display_id, version, sha256,
    deleted_at, deleted_by) values (?, ?, ?, ?, ?, ?, ?)`,
};
const TOMBSTONE: Statement = {
  name: "nuget-tombstone-names",
  sql: `select display_id, version from nuget_tombstones
    where lower_id = ? and lower_version = ?`,
};
const UNBURY: Statement = {
  name: "nuget-tombstone-drop",
  sql: "delete from nuget_tombstones where lower_id = ? and lower_version = ?",
};

function deleteVersion(
  changes: Changes,
  names: VersionNames,
  caller: Caller,
): Promise<"deleted" | "absent"> {
  const { lowerId, lowerVersion } = names;
  return changes.transaction(async (unit) => {
    if (!(await findVersion(unit, names))) return "absent";
    await changes.stale(unit, `nuget/${lowerId}`);
    // Repeated after the lock, because another change of this package may have preceded.
    const found = await findVersion(unit, names);
    if (!found) return "absent";
    const { displayId, version, sha256, size } = found;
    const symbols = await dropSymbols(unit, found.id);
    await dropReplacedSeals(unit, found.id);
    await unit.run(DROP_VERSION, [found.id]);
    await releaseBlobs(unit, [...symbols, found.blobId]);
    await noteUnlisted(unit, found.packageId);
    const [at, by] = [changes.now(), actorText(caller)];
    await unit.run(BURY, [lowerId, lowerVersion, displayId, version, sha256, at, by]);
    const subject = `nuget/${displayId}@${version}`;
    const detail = { size, sha256 };
    await changes.event(unit, { type: "package.deleted", subject, caller, detail });
    return "deleted";
  });
}

/** Versions in one statement. */
const ROWS_AT_ONCE = 100;

type Deprecating = {
  readonly lowerId: string;
  readonly versions: readonly string[] | "all";
  readonly deprecation: Deprecation | undefined;
};

function deprecate(
  changes: Changes,
  { lowerId, versions, deprecation }: Deprecating,
  caller: Caller,
): Promise<readonly string[] | undefined> {
  const text = deprecation && deprecationText(deprecation);
  return changes.transaction(async (unit) => {
    const early = await namedVersions(unit, lowerId, versions);
    if (!early?.some((one) => one.deprecation !== text)) return early && [];
    await changes.stale(unit, `nuget/${lowerId}`);
    // Repeated after the lock, because another change of this package may have preceded.
    const named = await namedVersions(unit, lowerId, versions);
    const changing = named?.filter((one) => one.deprecation !== text);
    for (const some of batches(changing ?? [], ROWS_AT_ONCE)) {
      const ids = some.map(({ id }) => id);
      const sql = `update nuget_versions set deprecation = ?
        where id in (${ids.map(() => "?").join(", ")})`;
      await unit.run({ sql }, [text, ...ids]);
      for (const { displayId, version } of some) {
        const subject = `nuget/${displayId}@${version}`;
        const detail = deprecation ?? { lifted: true };
        await changes.event(unit, { type: "package.deprecated", subject, caller, detail });
      }
      // SQLite answers at once; others must get their turn in between.
      await yieldToEventLoop();
    }
    return changing?.map(({ version }) => version);
  });
}

const VERSIONS: Statement = {
  name: "nuget-versions-to-deprecate",
  sql: `select v.id, v.display_id, v.version, v.lower_version, v.deprecation
    from nuget_packages p join nuget_versions v on v.package_id = p.id
    where p.lower_id = ? order by v.id`,
};

/** Undefined for an unknown package, or when one of the versions does not exist. */
async function namedVersions({ read }: Unit, lowerId: string, wanted: readonly string[] | "all") {
  const all = (await read(VERSIONS, [lowerId])).map((row) => ({
    id: numberOf(row, "id"),
    displayId: textOf(row, "display_id"),
    version: textOf(row, "version"),
    lowerVersion: textOf(row, "lower_version"),
    deprecation: optionalTextOf(row, "deprecation"),
  }));
  if (all.length === 0) return undefined;
  if (wanted === "all") return all;
  const names = new Set(wanted.map((version) => version.toLowerCase()));
  const found = all.filter(({ lowerVersion }) => names.has(lowerVersion));
  return found.length === names.size ? found : undefined;
}

function allowReuse(
  changes: Changes,
  { lowerId, lowerVersion }: VersionNames,
  caller: Caller,
): Promise<"allowed" | "absent"> {
  return changes.transaction(async (unit) => {
    const [tombstone] = await unit.read(TOMBSTONE, [lowerId, lowerVersion]);
    if (!tombstone || (await unit.run(UNBURY, [lowerId, lowerVersion])) === 0) return "absent";
    const names = `${textOf(tombstone, "display_id")}@${textOf(tombstone, "version")}`;
    await changes.event(unit, { type: "package.reuse-allowed", subject: `nuget/${names}`, caller });
    return "allowed";
  });
}
