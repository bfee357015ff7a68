import type { PlainUnit } from "../orm/unit-of-work.ts";
import { batches } from "../raw/batches.ts";
import type { Parameter, Statement } from "../raw/query-port.ts";
import { optionalTextOf, textListOf, textOf } from "../raw/row.ts";

const LATEST: Statement = {
  name: "npm-latest-dependencies",
  sql: `select v.dependency_names from npm_tags t join npm_versions v on v.id = t.version_id
    where t.package_id = ? and t.tag = 'latest'`,
};
const NOTED: Statement = {
  name: "npm-dependencies-noted",
  sql: "select dependency_name from npm_dependencies where package_id = ?",
};
const FORGET: Statement = {
  name: "npm-dependency-drop",
  sql: "delete from npm_dependencies where package_id = ? and dependency_name = ?",
};

/** Rows in one statement. */
const ROWS_AT_ONCE = 100;
/** More no package has that people wrote. */
const NAMES_MAX = 2000;

/** Called in each change that may have moved `latest`: writes down what differs. */
export async function noteDependencies(unit: PlainUnit, packageId: number): Promise<void> {
  const [latest] = await unit.read(LATEST, [packageId]);
  const isKnown = latest !== undefined && optionalTextOf(latest, "dependency_names") !== undefined;
  const wanted = isKnown ? textListOf(latest, "dependency_names").slice(0, NAMES_MAX) : [];
  const rows = await unit.read(NOTED, [packageId]);
  const noted = new Set(rows.map((row) => textOf(row, "dependency_name")));
  const missing = wanted.filter((name) => !noted.delete(name));
  for (const name of noted) await unit.run(FORGET, [packageId, name]);
  for (const names of batches(missing, ROWS_AT_ONCE)) {
    const marks = names.map(() => "(?, ?)").join(", ");
    const sql = `insert into npm_dependencies (package_id, dependency_name) values ${marks}`;
    await unit.run(
      { sql },
      names.flatMap((name): readonly Parameter[] => [packageId, name]),
    );
  }
}
