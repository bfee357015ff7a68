import type { OwnableName, OwnerLevel } from "@sealhouse/identity";
import { maintainersOf } from "../npm/package-access.ts";
import { touchPackage } from "../npm/npm-rows.ts";
import { noteEntry } from "../npm/search/note-entry.ts";
import { noteOwners } from "../nuget/search/newest-versions.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { publishersIn } from "./owner-rows.ts";

const NUGET = defineStatement("nuget-package-owned", { name: param.text(255) }, (db, { name }) =>
  db.selectFrom("nuget_packages").where("lower_id", "=", name).select("id"),
);
const SET_NUGET = defineStatement(
  "nuget-owners-set",
  { id: param.whole, owners: param.longText },
  (db, { id, owners }) => db.updateTable("nuget_packages").set({ owners }).where("id", "=", id),
);
const NPM = defineStatement("npm-package-owned", { name: param.text(255) }, (db, { name }) =>
  db.selectFrom("npm_packages").where("name", "=", name).select(["id", "maintainers"]),
);
const SET_NPM = defineStatement(
  "npm-owners-set",
  { id: param.whole, maintainers: param.longText },
  (db, { id, maintainers }) =>
    db.updateTable("npm_packages").set({ maintainers }).where("id", "=", id),
);

/** Puts the owners of a name into its row, which documents and searches read. */
export async function showOwners(
  changes: Pick<Changes, "now">,
  unit: Unit,
  { protocol, name }: OwnableName,
  owners: readonly OwnerLevel[],
): Promise<void> {
  const handles = publishersIn(owners);
  if (protocol === "nuget") {
    const row = await unit.queries.one(NUGET, { name });
    if (!row) return;
    await unit.queries.run(SET_NUGET, { id: row.id, owners: JSON.stringify(handles) });
    await noteOwners(unit, row.id);
  }
  if (protocol === "npm") {
    const row = await unit.queries.one(NPM, { name });
    if (!row) return;
    const present = maintainersOf(row) ?? [];
    const maintainers = handles.map(
      (handle) => present.find((maintainer) => maintainer.name === handle) ?? { name: handle },
    );
    await unit.queries.run(SET_NPM, { id: row.id, maintainers: JSON.stringify(maintainers) });
    await noteEntry(unit, row.id);
    await touchPackage(unit, row.id, { now: changes.now() });
  }
}
