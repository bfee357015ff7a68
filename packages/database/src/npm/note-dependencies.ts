import { sql } from "#kysely";
import type { Unit } from "../transactions/unit-of-work.ts";
import { batches } from "../raw/batches.ts";
import type { Parameter } from "../raw/query-port.ts";
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

/** Rows in one statement. */
const ROWS_AT_ONCE = 100;
/** More no package has that people wrote. */
const NAMES_MAX = 2000;

/** Called in each change that may have moved `latest`: writes down what differs. */
export async function noteDependencies(unit: Unit, packageId: number): Promise<void> {
  const { queries } = unit;
  const names = (await queries.one(LATEST, { packageId }))?.dependency_names ?? undefined;
  const wanted = names === undefined ? [] : textList(names).slice(0, NAMES_MAX);
  const rows = await queries.all(NOTED, { packageId });
  const noted = new Set(rows.map((row) => row.dependency_name));
  const missing = wanted.filter((name) => !noted.delete(name));
  for (const name of noted) await queries.run(FORGET, { packageId, name });
  for (const some of batches(missing, ROWS_AT_ONCE)) {
    const marks = some.map(() => "(?, ?)").join(", ");
    const text = `insert into npm_dependencies (package_id, dependency_name) values ${marks}`;
    await unit.run(
      { sql: text },
      some.flatMap((name): readonly Parameter[] => [packageId, name]),
    );
  }
}
