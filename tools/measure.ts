// `pnpm measure` prints the figures of every package, `pnpm measure --write` writes them to
// docs/structure-figures.md; `pnpm measure --english` prints those of our texts, and exits 1 when
// one exceeds its goal.
import { readFileSync, writeFileSync } from "node:fs";
import { ENGLISH_GOALS } from "./english-goals.ts";
import { englishFigures, englishTable, missedGoals, readTexts } from "./english.ts";
import { measurePackages, STRUCTURE_PAGE, structureTable, withTable } from "./structure-page.ts";

if (process.argv.includes("--english")) printEnglish();
else if (process.argv.includes("--write")) writePackages();
else console.log(structureTable(measurePackages()));

function writePackages(): void {
  const page = readFileSync(STRUCTURE_PAGE, "utf8");
  writeFileSync(STRUCTURE_PAGE, withTable(page, structureTable(measurePackages())));
}

function printEnglish(): void {
  const figures = englishFigures(readTexts());
  console.log(englishTable(figures));
  for (const missed of missedGoals(figures, ENGLISH_GOALS)) {
    console.error(`docs/style.md: ${missed}`);
    process.exitCode = 1;
  }
}
