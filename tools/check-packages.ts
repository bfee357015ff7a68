// Every public package as it would be published: manifest (publint), types (attw), and the facts of
// package-facts.ts. Needs `dist`.
import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { packageFaults } from "./package-facts.ts";

const execute = promisify(execFile);
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

const waiting = globSync(["packages/*/package.json", "hosts/*/package.json"])
  .toSorted()
  .filter((manifest) => !isPrivate(manifest))
  .map((manifest) => dirname(manifest))
  .values();
const tarballs = mkdtempSync(join(tmpdir(), "sealhouse-packages-"));
try {
  const checkWaiting = async (): Promise<number> => {
    let broken = 0;
    for (const folder of waiting) broken += await checkPackage(folder);
    return broken;
  };
  const counts = await Promise.all(Array.from({ length: availableParallelism() }, checkWaiting));
  process.exitCode = counts.some((broken) => broken > 0) ? 1 : 0;
} finally {
  rmSync(tarballs, { recursive: true, force: true });
}

/** Returns the number of faults. */
async function checkPackage(folder: string): Promise<number> {
  const faults = [...packageFaults(folder)];
  const packed = await outputOf("npm", ["pack", "--json", "--pack-destination", tarballs], folder);
  const [{ filename } = { filename: "" }] = JSON.parse(packed) as { readonly filename: string }[];
  const tarball = join(tarballs, filename);
  for (const [command, ...args] of [
    ["publint", tarball, "--strict"],
    ["attw", tarball, "--profile", "esm-only", "--format", "ascii", "--no-emoji"],
  ] as const) {
    await outputOf(command, args).catch(({ stdout, stderr }: CommandOutput) =>
      faults.push(`${command} finds fault\n${stdout}${stderr}`),
    );
  }
  for (const fault of faults) console.error(`${folder}: ${fault}`);
  return faults.length;
}

type CommandOutput = { readonly stdout: string; readonly stderr: string };

async function outputOf(command: string, args: readonly string[], cwd = "."): Promise<string> {
  const { stdout } = await execute(command, args, { cwd, maxBuffer: OUTPUT_MAX_BYTES });
  return stdout;
}

function isPrivate(manifest: string): boolean {
  const parsed = JSON.parse(readFileSync(manifest, "utf8")) as { private?: boolean };
  return parsed.private === true;
}
