import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Caller } from "@sealhouse/request-types";
import { compareVersionTexts } from "@sealhouse/nuget-protocol";
import type { Deprecation, PackageLifecycle, Tombstone } from "@sealhouse/nuget-protocol";
import { releaseBlobs } from "../../blobs/release-blobs.ts";
import { NAME_LENGTH } from "../../entities/name-length.ts";
import type { PortContext } from "../../port-context.ts";
import { batches } from "../../raw/batches.ts";
import { dropReplacedSeals } from "../../signing/replace-seal.ts";
import { inColumns } from "../../statements/in-columns.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { dropSymbols } from "./drop-symbols.ts";
import { keepPackage } from "../statements/kept-packages.ts";
import { noteUnlisted } from "../search/newest-versions.ts";
import { findVersion } from "../statements/version-for-update.ts";
import type { VersionForUpdate, VersionNames } from "../statements/version-for-update.ts";
import { actorText, deprecationText } from "../statements/version-row.ts";
import { nugetVersions } from "../../statements/versions-of.ts";

const PACKAGE = { lowerId: param.text(128) };
const NAMES = { ...PACKAGE, lowerVersion: param.text(256) };

const TOMBSTONES = defineStatement("nuget-tombstones", PACKAGE, (db, { lowerId }) =>
  db
    .selectFrom("nuget_tombstones")
    .where("lower_id", "=", lowerId)
    .select(["display_id", "version", "sha256", "deleted_at", "deleted_by"]),
);
const DROP_VERSION = defineStatement("nuget-version-drop", { id: param.whole }, (db, { id }) =>
  db.deleteFrom("nuget_versions").where("id", "=", id),
);
const BURY = defineStatement(
  "nuget-tombstone-insert",
  {
    ...NAMES,
    displayId: param.text(128),
    version: param.text(128),
    sha256: param.text(64),
    deletedAt: param.time,
    deletedBy: param.text(NAME_LENGTH.actor),
  },
  (db, parameters) => db.insertInto("nuget_tombstones").values(inColumns(parameters)),
);
const TOMBSTONE = defineStatement("nuget-tombstone-names", NAMES, (db, parameters) =>
  db
    .selectFrom("nuget_tombstones")
    .where("lower_id", "=", parameters.lowerId)
    .where("lower_version", "=", parameters.lowerVersion)
    .select(["display_id", "version"]),
);
const UNBURY = defineStatement("nuget-tombstone-drop", NAMES, (db, parameters) =>
  db
    .deleteFrom("nuget_tombstones")
    .where("lower_id", "=", parameters.lowerId)
    .where("lower_version", "=", parameters.lowerVersion),
);
const VERSIONS = defineStatement("nuget-versions-to-deprecate", PACKAGE, (db, { lowerId }) =>
  nugetVersions(db, lowerId)
    .select(["v.id", "v.display_id", "v.version", "v.lower_version", "v.deprecation"])
    .orderBy("v.id"),
);
const DEPRECATE = defineStatement(
  "nuget-version-deprecate",
  { id: param.whole, deprecation: param.optional(param.longText) },
  (db, { id, deprecation }) =>
    db.updateTable("nuget_versions").set({ deprecation }).where("id", "=", id),
);

export function createPackageLifecycle({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): PackageLifecycle {
  return {
    async delete(id, version, caller) {
      const outcome = await deleteVersion(changes, namesOf(id, version), caller);
      return outcome === "kept" ? "absent" : outcome;
    },
    deprecate: (id, versions, deprecation, caller) =>
      deprecate(changes, { lowerId: id.toLowerCase(), versions, deprecation }, caller),
    allowReuse: (id, version, caller) => allowReuse(changes, namesOf(id, version), caller),
    async tombstones(id) {
      const rows = await queries.all(TOMBSTONES, { lowerId: id.toLowerCase() });
      return rows
        .map(tombstoneOf)
        .toSorted((tombstone, other) => compareVersionTexts(tombstone.version, other.version));
    },
  };
}

export function namesOf(id: string, version: string): VersionNames {
  return { lowerId: id.toLowerCase(), lowerVersion: version.toLowerCase() };
}

function tombstoneOf(row: RowOf<typeof TOMBSTONES>): Tombstone {
  return {
    id: row.display_id,
    version: row.version,
    sha256: row.sha256,
    deletedAt: row.deleted_at,
    deletedBy: row.deleted_by,
  };
}

/** Deletes a version permanently; `kept`: `mayDelete`, called within the transaction, is false. */
export function deleteVersion(
  changes: Changes,
  names: VersionNames,
  caller: Caller,
  mayDelete: (unit: Unit, version: VersionForUpdate) => Promise<boolean> = async () => true,
): Promise<"deleted" | "absent" | "kept"> {
  return changes.transaction(async (unit) => {
    if (!(await findVersion(unit, names))) return "absent";
    await changes.stale(unit, `nuget/${names.lowerId}`);
    // Repeated after the lock, because another change of this package may have preceded.
    const storedVersion = await findVersion(unit, names);
    if (!storedVersion) return "absent";
    if (!(await mayDelete(unit, storedVersion))) return "kept";
    const { displayId, version, sha256, size } = storedVersion;
    await keepPackage(changes, unit, { names, storedVersion });
    const symbols = await dropSymbols(unit, storedVersion.id);
    await dropReplacedSeals(unit, storedVersion.id);
    await unit.queries.run(DROP_VERSION, { id: storedVersion.id });
    await releaseBlobs(unit, [...symbols, storedVersion.blobId]);
    await noteUnlisted(unit, storedVersion.packageId);
    const shown = { displayId, version, sha256 };
    const deletion = { deletedAt: changes.now(), deletedBy: actorText(caller) };
    await unit.queries.run(BURY, { ...names, ...shown, ...deletion });
    const subject = `nuget/${displayId}@${version}`;
    const detail = { size, sha256 };
    await changes.event(unit, { type: "package.deleted", subject, caller, detail });
    return "deleted";
  });
}

/** Versions before other requests get their turn: SQLite answers at once. */
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
    if (!early?.some((row) => (row.deprecation ?? undefined) !== text)) return early && [];
    await changes.stale(unit, `nuget/${lowerId}`);
    // Repeated after the lock, because another change of this package may have preceded.
    const rows = await namedVersions(unit, lowerId, versions);
    const changing = rows?.filter((row) => (row.deprecation ?? undefined) !== text);
    for (const some of batches(changing ?? [], ROWS_AT_ONCE)) {
      for (const { id, display_id: displayId, version } of some) {
        await unit.queries.run(DEPRECATE, { id, deprecation: text });
        const subject = `nuget/${displayId}@${version}`;
        const detail = deprecation ?? { lifted: true };
        await changes.event(unit, { type: "package.deprecated", subject, caller, detail });
      }
      await yieldToEventLoop();
    }
    return changing?.map(({ version }) => version);
  });
}

/** Undefined for an unknown package, or when one of the versions does not exist. */
async function namedVersions(
  { queries }: Unit,
  lowerId: string,
  versions: readonly string[] | "all",
): Promise<readonly RowOf<typeof VERSIONS>[] | undefined> {
  const all = await queries.all(VERSIONS, { lowerId });
  if (all.length === 0) return undefined;
  if (versions === "all") return all;
  const names = new Set(versions.map((version) => version.toLowerCase()));
  const rows = all.filter((row) => names.has(row.lower_version));
  return rows.length === names.size ? rows : undefined;
}

function allowReuse(
  changes: Changes,
  names: VersionNames,
  caller: Caller,
): Promise<"allowed" | "absent"> {
  return changes.transaction(async (unit) => {
    const tombstone = await unit.queries.one(TOMBSTONE, names);
    if (!tombstone || (await unit.queries.run(UNBURY, names)) === 0) return "absent";
    const subject = `nuget/${tombstone.display_id}@${tombstone.version}`;
    await changes.event(unit, { type: "package.reuse-allowed", subject, caller });
    return "allowed";
  });
}
