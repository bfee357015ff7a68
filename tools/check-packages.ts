// Every public package as it would be published: manifest (publint), types (attw), and the facts of
// package-facts.ts. Needs `dist`.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { packageFaults } from "./package-facts.ts";

let broken = 0;
for (const manifest of globSync(["packages/*/package.json", "hosts/*/package.json"]).toSorted()) {
  const folder = dirname(manifest);
  if (isPrivate(manifest)) continue;
  for (const fault of packageFaults(folder)) {
    broken += 1;
    console.error(`${folder}: ${fault}`);
  }
  for (const [command, ...args] of [
    ["publint", folder, "--strict", "--pack", "npm"],
    ["attw", "--pack", folder, "--profile", "esm-only", "--format", "ascii", "--no-emoji"],
  ] as const) {
    const run = spawnSync(command, args, { encoding: "utf8" });
    if (run.status === 0) continue;
    broken += 1;
    console.error(`${folder}: ${command} finds fault\n${run.stdout}${run.stderr}`);
  }
}
process.exitCode = broken > 0 ? 1 : 0;

function isPrivate(manifest: string): boolean {
  const parsed = JSON.parse(readFileSync(manifest, "utf8")) as { private?: boolean };
  return parsed.private === true;
}
