// Pushes mutated packages to a feed in memory, then verifies packages with mutated signatures:
// `pnpm fuzz` for a minute each, `pnpm fuzz 600` for ten, `pnpm fuzz 1 12345` to begin with the case
// that has that number. Exits 1 when an answer was not one that a client understands, came too late,
// or memory piled up; the files lie where it says.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runFuzz } from "../packages/nuget-protocol/src/testing/fuzz/run-fuzz.ts";
import { fuzzSeeds } from "../packages/nuget-protocol/src/testing/fuzz/seeds.ts";
import { fuzzSignatures } from "../packages/repo-signing/src/testing/fuzz-signatures.ts";
import { signatureSeeds } from "../packages/repo-signing/src/testing/signature-seeds.ts";

const SECONDS = 60;

const [seconds = SECONDS, seed = Math.floor(Math.random() * 2 ** 31)] = process.argv
  .slice(2)
  .map(Number);
if (!(seconds > 0) || !Number.isInteger(seed)) {
  console.error("usage: pnpm fuzz [seconds] [number of the first case]");
  process.exit(2);
}

const durationMs = seconds * 1000;
console.log(`fuzzing uploads for ${seconds} s, from case ${seed}`);
report("uploads", await runFuzz({ seeds: fuzzSeeds(), durationMs, seed }));
console.log(`fuzzing signatures for ${seconds} s, from case ${seed}`);
report("signatures", await fuzzSignatures({ seeds: signatureSeeds(), durationMs, seed }));

type Report = {
  readonly slowestMs: number;
  readonly failures: readonly {
    readonly seed: number;
    readonly what: string;
    readonly bytes: Uint8Array;
    readonly path?: string;
  }[];
};

function report(name: string, { failures, ...counts }: Report): void {
  console.log(JSON.stringify({ ...counts, slowestMs: Math.round(counts.slowestMs) }));
  if (failures.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), `sealhouse-fuzz-${name}-`));
  for (const failure of failures) {
    const path = join(folder, `${failure.seed}.bin`);
    writeFileSync(path, failure.bytes);
    const where = failure.path === undefined ? path : `${failure.path}, ${path}`;
    console.error(`case ${failure.seed} (${where}): ${failure.what}`);
  }
  process.exitCode = 1;
}
