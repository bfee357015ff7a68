// The table of docs/structure-figures.md, and the limits that `pnpm tidy` checks.
import { globSync, readFileSync } from "node:fs";
import type { Figures, Spread } from "./source-figures.ts";
import { figuresOf } from "./source-figures.ts";

/** The page with the table. */
export const STRUCTURE_PAGE = "docs/structure-figures.md";
/** The most lines of source of a host, without tests and test support: it only composes. */
export const HOST_LINES_MAX = 7_000;
/** The most lines of code of the host's composition. */
export const WIRING_LINES_MAX = 2_400;

/** Share by which lines of code may differ from the page, before the page must be written again. */
const DRIFT_MAX = 0.1;
const WIRING = "hosts/registry/src/wiring";
/** Migrations list every table in one function. */
const LONG_FUNCTIONS_ALLOWED: Readonly<Record<string, number>> = { "packages/database": 9 };
const HEAD = [
  "package",
  "files",
  "code",
  "file p50/p95/max",
  "function p50/p95/max",
  "over 70",
  "port",
  "comments",
  "test : code",
  "casts/1,000",
  "any",
  "plain Error",
];
const TABLE = /^\| package \|.*\n\|(?: --- \|)+\n(?:\|.*\n)+/m;

/** Figures by folder, in the order of the table. */
export type PackageFigures = ReadonlyMap<string, Figures>;

/** Reads and measures all packages, the host and its composition. */
export function measurePackages(): PackageFigures {
  const folders = [...globSync("packages/*"), ...globSync("hosts/*"), WIRING];
  return new Map(folders.toSorted().map((folder) => [folder, figuresOf(sourcesOf(folder))]));
}

function sourcesOf(folder: string) {
  return globSync(`${folder}/**/*.ts`)
    .filter((path) => !/node_modules|\/dist\//.test(path))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

/** The table as Markdown. */
export function structureTable(packages: PackageFigures): string {
  const rows = [...packages].map(
    ([folder, figures]) => `| ${cellsOf(folder, figures).join(" | ")} |`,
  );
  return [`| ${HEAD.join(" | ")} |`, `|${" --- |".repeat(HEAD.length)}`, ...rows, ""].join("\n");
}

function cellsOf(folder: string, of: Figures): readonly (string | number)[] {
  return [
    folder,
    of.files,
    of.code,
    shown(of.fileLines),
    shown(of.functionLines),
    of.longFunctions,
    of.largestPort,
    `${of.comments} %`,
    of.testRatio,
    of.casts,
    of.anys,
    `${of.plainErrors} %`,
  ];
}

function shown({ median, p95, max }: Spread): string {
  return `${median} / ${p95} / ${max}`;
}

/** The page with its table replaced. */
export function withTable(page: string, table: string): string {
  return page.replace(TABLE, () => table);
}

/** Breaches of the limits, and rows of the page that differ too much from the source. */
export function structureBreaches(packages: PackageFigures, page: string): readonly string[] {
  const rows = new Map(
    (TABLE.exec(page)?.[0] ?? "").split("\n").map((row) => {
      const [, folder = "", , code = ""] = row.split("|").map((cell) => cell.trim());
      return [folder, Number(code)];
    }),
  );
  const breaches = [...packages].flatMap(([folder, { code, longFunctions }]) => [
    ...staleRow(folder, code, rows.get(folder)),
    ...longOnes(folder, longFunctions),
  ]);
  const wiring = packages.get(WIRING)?.code ?? 0;
  if (wiring > WIRING_LINES_MAX) {
    breaches.push(`${WIRING}: has ${wiring} lines of code, at most ${WIRING_LINES_MAX}`);
  }
  return breaches;
}

function staleRow(folder: string, code: number, written: number | undefined): readonly string[] {
  if (written !== undefined && Math.abs(code - written) <= Math.max(20, code * DRIFT_MAX))
    return [];
  const says = written === undefined ? "has no row" : `says ${written} lines, there are ${code}`;
  return [`${STRUCTURE_PAGE}: ${folder}: ${says}. Run \`pnpm measure --write\`.`];
}

function longOnes(folder: string, longFunctions: number): readonly string[] {
  const most = LONG_FUNCTIONS_ALLOWED[folder] ?? 0;
  if (longFunctions <= most) return [];
  return [`${folder}: has ${longFunctions} functions of more than 70 lines, at most ${most}`];
}
