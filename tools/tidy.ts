// The project conventions that no linter knows. Run by `pnpm tidy`; prints every breach, exits 1.
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { findPageFaults } from "./doc-pages.ts";
import { findEnglishBreaches } from "./english.ts";
import { importCircles } from "./import-circles.ts";
import { MAY_IMPORT, MAY_TEST_WITH, ROOMS_MAY_IMPORT, staleRows } from "./may-import.ts";
import { PORT_METHODS_MAX, portSizes } from "./port-methods.ts";
import { roomBreaches } from "./rooms.ts";
import { isTestFile } from "./source-figures.ts";
import {
  HOST_LINES_MAX,
  measurePackages,
  STRUCTURE_PAGE,
  structureBreaches,
} from "./structure-page.ts";
import { testFilesOf, wrongScripts } from "./test-kinds.ts";
import { readTextFiles, textFaults } from "./text-faults.ts";

const JUNK_DRAWER = /^(?:utils?|helpers?|common|misc|shared|types|constants)\.ts$/;
const EMPTY_WORD = /\bexport (?:abstract )?class \w+(?:Manager|Helper|Util|Impl|Base|Factory)\b/;

/** Types that `request-types` owns, written out again. */
const REQUEST_TYPES =
  /readonly actor: string;\s+readonly tokenId\?: string;|= "nuget" \| "npm" \| "oci";/;

/**
 * Ports with more methods than a port may have. `ObjectStore` is the one port that other people
 * implement: reading, writing, moving, listing and deleting belong to one driver, and one of its
 * methods is optional. Split by reader, a driver would export four objects over one connection.
 */
const LARGE_PORTS: Readonly<Record<string, number>> = { ObjectStore: 8 };

const breaches: string[] = [];

const sources = new Map(
  globSync(["packages/*/{src,test}/**/*.ts", "hosts/*/{src,test}/**/*.ts"])
    .filter((file) => !file.includes("node_modules"))
    .map((file) => [file, readFileSync(file, "utf8")]),
);

const manifests = new Map(
  globSync(["packages/*/package.json", "hosts/*/package.json"]).map((manifest) => [
    dirname(manifest),
    workspaceDependencies(manifest),
  ]),
);

for (const [folder, dependencies] of manifests) {
  const manifest = `${folder}/package.json`;
  const allowed = MAY_IMPORT[folder];
  if (!allowed) breaches.push(`${folder}: has no row in MAY_IMPORT (tools/may-import.ts)`);
  const own = [...sources].filter(([file]) => file.startsWith(`${folder}/`));
  for (const [name, from] of dependencies) {
    const target = `packages/${name.split("/")[1]}`;
    const tested = from === "devDependencies" ? (MAY_TEST_WITH[folder] ?? []) : [];
    if (![...(allowed ?? []), ...tested].includes(target)) {
      breaches.push(`${manifest}: ${from} on ${name} is not allowed`);
    }
    if (!own.some(([, text]) => text.includes(`"${name}"`) || text.includes(`"${name}/`))) {
      breaches.push(`${manifest}: ${from} on ${name} is not used`);
    }
  }
}

breaches.push(...staleRows(manifests));

for (const manifest of globSync(["packages/*/package.json", "hosts/*/package.json"])) {
  const folder = dirname(manifest);
  const parsed = JSON.parse(readFileSync(manifest, "utf8")) as { scripts: Record<string, string> };
  const tests = new Map(testFilesOf(folder).map((file) => [file, readFileSync(file, "utf8")]));
  breaches.push(...wrongScripts({ folder, scripts: parsed.scripts, tests }));
}

breaches.push(...roomBreaches(ROOMS_MAY_IMPORT, sources));

for (const circle of importCircles(sources)) {
  breaches.push(`these files import each other in a circle: ${circle.join(", ")}`);
}

for (const file of globSync(["packages/*/src/**/*.ts", "hosts/*/src/**/*.ts"])) {
  const text = readFileSync(file, "utf8");
  if (JUNK_DRAWER.test(basename(file))) breaches.push(`${file}: name the file after what it holds`);
  if (EMPTY_WORD.test(text)) breaches.push(`${file}: name the class after what it is`);
  if (/^export \* from/m.test(text)) breaches.push(`${file}: list the exports one by one`);
  if (!file.startsWith("packages/request-types/") && REQUEST_TYPES.test(text))
    breaches.push(`${file}: take this type from request-types`);
  for (const { port, methods } of portSizes(file, text)) {
    const most = LARGE_PORTS[port] ?? PORT_METHODS_MAX;
    if (methods > most) breaches.push(`${file}: ${port} has ${methods} methods, at most ${most}`);
  }
  for (const [index, line] of text.split("\n").entries()) {
    if (line.length > 100) breaches.push(`${file}:${index + 1}: longer than 100 columns`);
    if (/\b(?:FIXME|HACK|XXX)\b/.test(line)) breaches.push(`${file}:${index + 1}: unfinished`);
  }
}

for (const file of globSync(["packages/*/src/**/*.ts", "hosts/*/src/**/*.ts"])) {
  const home = file.split("/").slice(0, 2).join("/");
  for (const [, from = ""] of readFileSync(file, "utf8").matchAll(/\bfrom "(\.[^"]+)"/g)) {
    const target = join(dirname(file), from);
    if (!target.startsWith(`${home}/`))
      breaches.push(`${file}: reaches into another package: ${from}`);
  }
}

for (const folder of [...manifests.keys()].filter((name) => name.startsWith("hosts/"))) {
  const own = [...sources].filter(
    ([file]) => file.startsWith(`${folder}/src/`) && !isTestFile(file),
  );
  const lines = own.reduce((count, [, text]) => count + text.trimEnd().split("\n").length, 0);
  if (lines > HOST_LINES_MAX) {
    breaches.push(`${folder}: has ${lines} lines of source, at most ${HOST_LINES_MAX}`);
  }
}

const { packageManager } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly packageManager: string;
};
for (const [file, text] of readTextFiles()) {
  breaches.push(...textFaults(text, packageManager).map((fault) => `${file}:${fault}`));
}

breaches.push(...structureBreaches(measurePackages(), readFileSync(STRUCTURE_PAGE, "utf8")));
breaches.push(...findPageFaults());
breaches.push(...findEnglishBreaches());

for (const breach of breaches) console.error(breach);
process.exitCode = breaches.length > 0 ? 1 : 0;

function workspaceDependencies(manifest: string): [name: string, from: string][] {
  const parsed = JSON.parse(readFileSync(manifest, "utf8")) as Record<string, unknown>;
  return ["dependencies", "peerDependencies", "devDependencies"].flatMap((field) =>
    Object.entries((parsed[field] ?? {}) as Record<string, string>)
      .filter(([, range]) => range.startsWith("workspace:"))
      .map(([name]): [string, string] => [name, field]),
  );
}
