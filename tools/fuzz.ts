// Pushes mutated packages to a feed in memory: `pnpm fuzz` for a minute, `pnpm fuzz 600` for ten,
// `pnpm fuzz 1 12345` to begin with the case that has that number. Exits 1 when an answer was not
// one that a client understands, came too late, or memory piled up; the files lie where it says.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runFuzz } from "../packages/nuget-protocol/src/testing/fuzz/run-fuzz.ts";
import { fuzzSeeds } from "../packages/nuget-protocol/src/testing/fuzz/seeds.ts";

const SECONDS = 60;

const [seconds = SECONDS, seed = Math.floor(Math.random() * 2 ** 31)] = process.argv
  .slice(2)
  .map(Number);
if (!(seconds > 0) || !Number.isInteger(seed)) {
  console.error("usage: pnpm fuzz [seconds] [number of the first case]");
  process.exit(2);
}

console.log(`fuzzing for ${seconds} s, from case ${seed}`);
const report = await runFuzz({ seeds: fuzzSeeds(), durationMs: seconds * 1000, seed });
const { failures, ...counts } = report;
console.log(JSON.stringify({ ...counts, slowestMs: Math.round(counts.slowestMs) }));
if (failures.length > 0) {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-fuzz-"));
  for (const failure of failures) {
    const path = join(folder, `${failure.seed}.bin`);
    writeFileSync(path, failure.bytes);
    console.error(`case ${failure.seed} (${failure.path}, ${path}): ${failure.what}`);
  }
  process.exitCode = 1;
}
