// `pnpm measure` prints the figures of every package; `pnpm measure --english` those of our texts,
// and exits 1 when one exceeds its goal.
import { globSync, readFileSync } from "node:fs";
import { ENGLISH_GOALS } from "./english-goals.ts";
import { englishFigures, englishTable, missedGoals, readTexts } from "./english.ts";
import type { Spread } from "./source-figures.ts";
import { figuresOf } from "./source-figures.ts";

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

if (process.argv.includes("--english")) printEnglish();
else printPackages();

function printEnglish(): void {
  const figures = englishFigures(readTexts());
  console.log(englishTable(figures));
  for (const missed of missedGoals(figures, ENGLISH_GOALS)) {
    console.error(`docs/style.md: ${missed}`);
    process.exitCode = 1;
  }
}

function printPackages(): void {
  const folders = [...globSync("packages/*"), ...globSync("hosts/*"), "hosts/registry/src/wiring"];
  console.log(`| ${HEAD.join(" | ")} |\n|${" --- |".repeat(HEAD.length)}`);
  for (const folder of folders.toSorted()) {
    const paths = globSync(`${folder}/**/*.ts`).filter(
      (path) => !/node_modules|\/dist\//.test(path),
    );
    const of = figuresOf(paths.map((path) => ({ path, text: readFileSync(path, "utf8") })));
    const cells = [
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
    console.log(`| ${cells.join(" | ")} |`);
  }
}

function shown({ median, p95, max }: Spread): string {
  return `${median} / ${p95} / ${max}`;
}
