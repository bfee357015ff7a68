import { sql } from "#kysely";
import type { NewNpmVersion } from "@sealhouse/npm-protocol";
import { together } from "../transactions/together.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { addEntry, noteEntry } from "./search/note-entry.ts";
import type { NpmIndexable } from "./search/npm-words.ts";

const PACKAGE = { packageId: param.whole };
const DEPENDENCY = { ...PACKAGE, name: param.text(214) };

const NOTED = defineStatement("npm-dependencies-noted", PACKAGE, (db, { packageId }) =>
  db.selectFrom("npm_dependencies").where("package_id", "=", packageId).select("dependency_name"),
);
const FORGET = defineStatement("npm-dependency-drop", DEPENDENCY, (db, { packageId, name }) =>
  db
    .deleteFrom("npm_dependencies")
    .where("package_id", "=", packageId)
    .where("dependency_name", "=", name),
);

const NOTE = defineStatement(
  "npm-dependencies-note",
  { ...PACKAGE, names: param.records },
  (db, { packageId, names }, own) =>
    db
      .insertInto("npm_dependencies")
      .columns(["package_id", "dependency_name"])
      .expression(
        db
          .selectFrom(own.records(names, { name: "text" }).as("n"))
          .select([sql<number>`${packageId}`.as("package_id"), "n.name"]),
      ),
);

/** More dependencies than any package has that people wrote. */
const NAMES_MAX = 2000;

/**
 * Call in each change that may have moved `latest`: notes by which words searches find the package,
 * and which names it depends on.
 */
export async function noteLatest(unit: Unit, packageId: number): Promise<void> {
  const { queries } = unit;
  const wantedNames = (await noteEntry(unit, packageId)).slice(0, NAMES_MAX);
  const rows = await queries.all(NOTED, { packageId });
  const noted = new Set(rows.map((row) => row.dependency_name));
  const missing = wantedNames.filter((name) => !noted.delete(name));
  for (const name of noted) await queries.run(FORGET, { packageId, name });
  await noteNames(unit, packageId, missing);
}

/** The same for the first version of a package. */
export async function noteFirst(
  unit: Unit,
  packageId: number,
  version: NpmIndexable & Pick<NewNpmVersion, "dependencyNames">,
): Promise<void> {
  await together([
    addEntry(unit, packageId, version),
    noteNames(unit, packageId, version.dependencyNames.slice(0, NAMES_MAX)),
  ]);
}

/** Notes names on which the package is not yet known to depend. */
async function noteNames(
  { queries }: Unit,
  packageId: number,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  await queries.run(NOTE, { packageId, names: names.map((name) => ({ name })) });
}
