// Draws the layers in ARCHITECTURE.md and the table of docs/imports.md from tools/may-import.ts.
// `--check` only compares, and exits 1 when one of them is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { drawnTable, MAY_IMPORT } from "./may-import.ts";
import { drawLayers } from "./layers.ts";

const BLOCK = /(?<=^```text drawn\n)[^]*?(?=^```$)/m;
const DRAWN = { "ARCHITECTURE.md": drawLayers(MAY_IMPORT), "docs/imports.md": drawnTable() };

for (const [page, text] of Object.entries(DRAWN)) {
  const before = readFileSync(page, "utf8");
  const after = before.replace(BLOCK, () => `${text}\n`);
  if (!BLOCK.test(before)) throw new Error(`${page} has no block "text drawn"`);
  if (after === before) continue;
  if (process.argv.includes("--check")) {
    console.error(`${page} is stale: run \`node tools/draw-layers.ts\``);
    process.exitCode = 1;
  } else {
    writeFileSync(page, after);
  }
}
