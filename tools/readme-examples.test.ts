import { execFile } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { examplesOfPackages, readmeExamples, READMES } from "./readme-examples.ts";
import type { PackageExample } from "./readme-examples.ts";

// `packed-packages.clients.test.ts` of the host runs the examples, from the packed packages.

const root = dirname(import.meta.dirname);
const run = promisify(execFile);

type Written = PackageExample & { readonly folder: string };

const written: readonly Written[] = examplesOfPackages(root).map((example) => {
  // Below the package, so that the example's imports resolve.
  const folder = mkdtempSync(join(root, example.package, "readme-example-"));
  writeFileSync(join(folder, "example.mts"), example.code);
  return { ...example, folder };
});
const project = mkdtempSync(join(root, "readme-examples-"));

beforeAll(() => {
  const compilerOptions = { noEmit: true, composite: false, rootDir: ".." };
  const include = written.map(({ folder }) => join(folder, "example.mts"));
  const config = { extends: "../tsconfig.base.json", compilerOptions, include };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config));
});
afterAll(() => {
  for (const folder of [project, ...written.map((example) => example.folder)]) {
    rmSync(folder, { recursive: true });
  }
});

test("reads each example with the output that follows it", () => {
  const markdown =
    "```sh\nrun\n```\n```ts\none();\n```\nIt prints:\n```text\n1\n```\n```ts\ntwo();\n```\n";
  expect(readmeExamples(markdown)).toEqual([
    { code: "one();\n", output: "1\n" },
    { code: "two();\n" },
  ]);
});

test("every README has an example with its output", () => {
  const complete = new Set(
    written
      .filter((example) => example.output !== undefined || example.needsService)
      .map((example) => example.package),
  );
  const packages = globSync(READMES, { cwd: root }).map(dirname);
  const missing = packages.filter((folder) => !complete.has(folder));
  expect(missing).toEqual([]);
});

test("the examples compile", { timeout: 300_000 }, async () => {
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout } = await run(tsc, ["--project", project]).catch(
    (error: { readonly stdout: string }) => error,
  );
  expect(stdout).toBe("");
});

test("the examples have no syntax that the oldest supported Node refuses", () => {
  // Node 22 does not parse `using` declarations; the repository's own Node does.
  const refused = written.filter(({ code }) => /^\s*(?:await )?using \w+ =/m.test(code));
  expect(refused.map((example) => example.package)).toEqual([]);
});
