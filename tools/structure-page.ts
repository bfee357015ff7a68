// The table of docs/structure-figures.md, and the limits that `pnpm tidy` checks.
import { globSync, readFileSync } from "node:fs";
import { PORT_METHODS_MAX } from "./port-methods.ts";
import type { RoomFigures } from "./rooms.ts";
import { roomFigures } from "./rooms.ts";
import type { Figures, Spread } from "./source-figures.ts";
import { figuresOf } from "./source-figures.ts";

/** The page with the table. */
export const STRUCTURE_PAGE = "docs/structure-figures.md";
/** The most lines of source of a host, without tests and test support: it only composes. */
export const HOST_LINES_MAX = 7_000;
/** The most lines of code of the host's composition. */
export const WIRING_LINES_MAX = 1_800;

/** Share by which lines of code may differ from the page, before the page must be written again. */
const DRIFT_MAX = 0.1;
const WIRING = "hosts/registry/src/wiring";
/** The fewest lines of tests for a line of code of a package. */
const TEST_RATIO_MIN = 0.3;
/** The same for packages with a higher limit. It may only rise. */
const TEST_RATIOS_MIN: Readonly<Record<string, number>> = {
  "packages/database": 0.4,
  "packages/upstream-sources": 0.8,
};
/** Packages whose tests are in the host, and packages without behaviour. */
const TESTED_ELSEWHERE: readonly string[] = [
  "packages/administration",
  "packages/benchmarks",
  "packages/command-line",
  "packages/request-types",
];
/** Pairs of rooms that import each other; new ones are refused. */
const MUTUAL_ROOMS_ALLOWED: Readonly<Record<string, number>> = {
  "hosts/registry": 3,
  "packages/database": 12,
  "packages/identity": 1,
  "packages/npm-protocol": 1,
  "packages/nuget-protocol": 1,
  "packages/oci-distribution": 2,
  "packages/upstream-sources": 1,
};
/** Limits as the page writes them: the beginning of a row, and its first number. */
const WRITTEN_LIMITS: readonly (readonly [row: string, limit: number])[] = [
  ["lines of a host", HOST_LINES_MAX],
  [`lines of code in \`${WIRING}\``, WIRING_LINES_MAX],
  ["functions of more than 70 lines", 0],
  ["methods of a port", PORT_METHODS_MAX],
  ["lines of tests for a line of code", TEST_RATIO_MIN],
  ...Object.entries(TEST_RATIOS_MIN).map(
    ([folder, least]) => [`the same of \`${folder}\``, least] as const,
  ),
  ["pairs of rooms that import each other", 0],
];
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
  "rooms",
];
const TABLE = /^\| package \|.*\n\|(?: --- \|)+\n(?:\|.*\n)+/m;

/** Figures of a package, with the arrows between its rooms. */
export type PackageRow = Figures & { readonly rooms: RoomFigures };

/** Figures by folder, in the order of the table. */
export type PackageFigures = ReadonlyMap<string, PackageRow>;

/** Reads and measures all packages, the host and its composition. */
export function measurePackages(): PackageFigures {
  const folders = [...globSync("packages/*"), ...globSync("hosts/*"), WIRING];
  return new Map(folders.toSorted().map((folder) => [folder, rowOf(folder)]));
}

function rowOf(folder: string): PackageRow {
  const sources = sourcesOf(folder);
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  return { ...figuresOf(sources), rooms: roomFigures(folder, texts) };
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

function cellsOf(folder: string, of: PackageRow): readonly (string | number)[] {
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
    `${of.rooms.arrows} / ${of.rooms.mutual}`,
  ];
}

function shown({ median, p95, max }: Spread): string {
  return `${median} / ${p95} / ${max}`;
}

/** The page with its table replaced, and with the limits of single packages. */
export function withTable(page: string, table: string): string {
  const limits = Object.entries(TEST_RATIOS_MIN).map(
    ([folder, least]) => `| the same of \`${folder}\` | ${least} at least |\n`,
  );
  return page
    .replace(TABLE, () => table)
    .replaceAll(/^\| the same of `.*\n/gm, "")
    .replace(/^\| lines of tests for a line of code .*\n/m, (row) => row + limits.join(""));
}

/** Breaches of the limits, and rows of the page that differ too much from the source. */
export function structureBreaches(packages: PackageFigures, page: string): readonly string[] {
  const rows = new Map(
    (TABLE.exec(page)?.[0] ?? "").split("\n").map((row) => {
      const [, folder = "", , code = ""] = row.split("|").map((cell) => cell.trim());
      return [folder, Number(code)];
    }),
  );
  const breaches = [...packages].flatMap(([folder, row]) => [
    ...staleRow(folder, row.code, rows.get(folder)),
    ...brokenLimits(folder, row),
  ]);
  const wiring = packages.get(WIRING)?.code ?? 0;
  if (wiring > WIRING_LINES_MAX) {
    breaches.push(`${WIRING}: has ${wiring} lines of code, at most ${WIRING_LINES_MAX}`);
  }
  return [...breaches, ...unwrittenLimits(page)];
}

function staleRow(folder: string, code: number, written: number | undefined): readonly string[] {
  if (written !== undefined && Math.abs(code - written) <= Math.max(20, code * DRIFT_MAX))
    return [];
  const says = written === undefined ? "has no row" : `says ${written} lines, there are ${code}`;
  return [`${STRUCTURE_PAGE}: ${folder}: ${says}. Run \`pnpm measure --write\`.`];
}

function brokenLimits(folder: string, of: PackageRow): readonly string[] {
  const { longFunctions, testRatio, rooms } = of;
  const breaches: string[] = [];
  if (longFunctions > 0) {
    breaches.push(`${folder}: has ${longFunctions} functions of more than 70 lines, at most 0`);
  }
  const least = TEST_RATIOS_MIN[folder] ?? TEST_RATIO_MIN;
  if (testRatio < least && folder !== WIRING && !TESTED_ELSEWHERE.includes(folder)) {
    breaches.push(
      `${folder}: has ${testRatio} lines of tests for a line of code, at least ${least}`,
    );
  }
  const most = MUTUAL_ROOMS_ALLOWED[folder] ?? 0;
  if (rooms.mutual > most) {
    breaches.push(
      `${folder}: has ${rooms.mutual} pairs of rooms that import each other, at most ${most}`,
    );
  }
  return breaches;
}

/** Limits that the page writes differently from this file, or not at all. */
function unwrittenLimits(page: string): readonly string[] {
  const lines = page.split("\n");
  return WRITTEN_LIMITS.flatMap(([row, limit]) => {
    const line = lines.find((text) => text.startsWith(`| ${row}`));
    const written = /[\d,.]*\d/.exec(line?.split("|")[2] ?? "")?.[0].replaceAll(",", "");
    if (written !== undefined && Number(written) === limit) return [];
    return [`${STRUCTURE_PAGE}: write the limit ${limit} into the row "${row}"`];
  });
}
