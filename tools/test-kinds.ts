// The three kinds of tests, told apart by file name or folder. Each is a task of turbo.
import { globSync } from "node:fs";

export type TestKind = "unit" | "database" | "clients";

/** The script in each package.json, and the task in turbo.json. */
export const SCRIPT_OF_KIND: Readonly<Record<TestKind, string>> = {
  unit: "test",
  database: "test:database",
  clients: "test:clients",
};

export function kindOfTest(file: string): TestKind {
  if (/\/test\/(?:clients|npm-clients|browser)\//.test(file)) return "clients";
  if (/\.(?:clients|browser)\.test\.tsx?$/.test(file)) return "clients";
  if (/\/test\/faults\//.test(file)) return "database";
  return /\.database\.test\.tsx?$/.test(file) ? "database" : "unit";
}

/** Returns the test files of a folder of the workspace, never those of `dist`. */
export function testFilesOf(folder: string): readonly string[] {
  const pattern =
    folder === "tools" ? "tools/**/*.test.ts" : `${folder}/{src,test}/**/*.test.{ts,tsx}`;
  return globSync(pattern, { exclude: ["**/node_modules/**"] })
    .map((file) => file.replaceAll("\\", "/"))
    .toSorted();
}

/** Names of helpers that start a database server: a test that uses one must be named accordingly. */
const STARTS_DATABASE = /\b(?:testableDatabases|startPostgres|startMariadb)\b/;

/** Lists what keeps a package's tests out of the tasks, or in the wrong one. */
export function wrongScripts(pkg: {
  readonly folder: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly tests: ReadonlyMap<string, string>;
}): readonly string[] {
  const { folder, scripts, tests } = pkg;
  const kinds = new Set([...tests.keys()].map(kindOfTest));
  const required = ["build", "typecheck", "lint", "test"];
  for (const kind of kinds) required.push(SCRIPT_OF_KIND[kind]);
  const missing = [...new Set(required)].filter((name) => scripts[name] === undefined);
  const unused = (["database", "clients"] as const).filter(
    (kind) => scripts[SCRIPT_OF_KIND[kind]] !== undefined && !kinds.has(kind),
  );
  const misnamed = [...tests].filter(
    ([file, text]) => kindOfTest(file) === "unit" && STARTS_DATABASE.test(text),
  );
  return [
    ...missing.map((name) => `${folder}/package.json: has no script ${name}`),
    ...unused.map((kind) => `${folder}/package.json: ${SCRIPT_OF_KIND[kind]} has no tests`),
    ...misnamed.map(([file]) => `${file}: starts databases; name it *.database.test.ts`),
  ];
}
