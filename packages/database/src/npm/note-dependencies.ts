import { sql } from "#kysely";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { textList } from "../statements/text-list.ts";

const PACKAGE = { packageId: param.whole };
const DEPENDENCY = { ...PACKAGE, name: param.text(214) };

const LATEST = defineStatement("npm-latest-dependencies", PACKAGE, (db, { packageId }) =>
  db
    .selectFrom("npm_tags as t")
    .innerJoin("npm_versions as v", "v.id", "t.version_id")
    .where("t.package_id", "=", packageId)
    .where("t.tag", "=", sql.lit("latest"))
    .select("v.dependency_names"),
);
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

/** More no package has that people wrote. */
const NAMES_MAX = 2000;

/** Called in each change that may have moved `latest`: writes down what differs. */
export async function noteDependencies({ queries }: Unit, packageId: number): Promise<void> {
  const names = (await queries.one(LATEST, { packageId }))?.dependency_names ?? undefined;
  const wantedNames = names === undefined ? [] : textList(names).slice(0, NAMES_MAX);
  const rows = await queries.all(NOTED, { packageId });
  const noted = new Set(rows.map((row) => row.dependency_name));
  const missing = wantedNames.filter((name) => !noted.delete(name));
  for (const name of noted) await queries.run(FORGET, { packageId, name });
  if (missing.length === 0) return;
  await queries.run(NOTE, { packageId, names: missing.map((name) => ({ name })) });
}
