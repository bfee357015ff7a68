import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packageFaults, undocumentedExports } from "./package-facts.ts";

function newPackage(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-facts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "dist"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const manifest = (folder: string) =>
  JSON.stringify({
    name: "@acme/one",
    description: "One",
    keywords: ["one", "two"],
    homepage: "https://example.com",
    bugs: "https://example.com/issues",
    license: "MIT",
    repository: { directory: folder },
    files: ["dist", "!dist/**/*.test.*"],
    engines: { node: ">=22" },
    dependencies: { declared: "1.0.0" },
  });
const README = "```sh\nnpm install @acme/one\n```\n\n```ts\none();\n```\n";
const GOOD = {
  "README.md": README,
  "dist/index.js": 'import "node:fs";\nimport { a } from "declared/more";\nexport const one = a;\n',
  "dist/index.d.ts": "/** One. */\nexport declare const one: number;\n",
  "dist/index.test.js": 'import "vitest";\n',
};

function faultsOf(changed: Readonly<Record<string, string>>): readonly string[] {
  const folder = newPackage({ ...GOOD, ...changed });
  writeFileSync(join(folder, "package.json"), changed["package.json"] ?? manifest(folder));
  return packageFaults(folder).map((fault) => fault.replaceAll(`${folder}/`, ""));
}

test.each([
  [{}, []],
  [{ "README.md": "# One\n" }, [/npm install @acme\/one/, /no example/]],
  [{ "dist/more.js": 'export { b } from "@acme/two/x";\n' }, [/more\.js imports @acme\/two/]],
  [{ "dist/more.js": 'const c = await import("three");\n' }, [/more\.js imports three/]],
  [{ "dist/more.js": "//# sourceMappingURL=more.js.map\n" }, [/source map/]],
  [{ "dist/more.js.map": "{}" }, [/source map/]],
  [
    { "dist/index.d.ts": "export declare const one: number;\n" },
    [/exports without a docstring: one/],
  ],
])("a package with %j has the faults %j", (changed, expected) => {
  const faults = faultsOf(changed);
  expect(faults).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(faults[index]).toMatch(pattern);
});

test("reports each missing field of a package without metadata", () => {
  const text = JSON.stringify({
    name: "@acme/one",
    files: ["dist"],
    dependencies: { declared: "" },
  });
  const faults = faultsOf({ "package.json": text, "dist/index.test.js": "" });
  expect(faults).toHaveLength(7);
});

test("docstrings are found behind re-exports and new names", () => {
  const folder = newPackage({
    "dist/index.d.ts": 'export { a, b as c } from "./x.js";\nexport type { T, U } from "./y.js";\n',
    "dist/x.d.ts": "/** A. */\nexport declare function a(): void;\nexport declare class b {\n}\n",
    "dist/y.d.ts": 'export type { T } from "./z.js";\nexport interface U {\n}\n',
    "dist/z.d.ts": "/** T. */\nexport type T = string;\n",
  });
  expect(undocumentedExports(join(folder, "dist/index.d.ts"))).toEqual(["c", "U"]);
});
