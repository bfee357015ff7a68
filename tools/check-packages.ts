// Every public package as it would be published: manifest (publint), types (attw), and the facts of
// package-facts.ts. Needs `dist`. Both tools run in this process, because loading them for each
// package takes longer than the checks.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getExitCode } from "@arethetypeswrong/cli/internal/getExitCode";
import { typed } from "@arethetypeswrong/cli/internal/render";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { packageFaults } from "./package-facts.ts";

/** The profile `esm-only` of attw: packages without CommonJS do not support these resolutions. */
const PROFILE = { ignoreResolutions: ["node10" as const, "node16-cjs" as const] };

type Manifest = { readonly name: string; readonly version: string; readonly private?: boolean };

const packages = globSync(["packages/*/package.json", "hosts/*/package.json"])
  .toSorted()
  .map((path) => {
    return { folder: dirname(path), ...(JSON.parse(readFileSync(path, "utf8")) as Manifest) };
  })
  .filter((manifest) => manifest.private !== true);
const tarballs = mkdtempSync(join(tmpdir(), "sealhouse-packages-"));
let broken = 0;
try {
  pack(packages.map(({ name }) => name));
  for (const { folder, name, version } of packages) {
    const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    const tarball = Uint8Array.from(readFileSync(join(tarballs, file)));
    const faults = [
      ...packageFaults(folder),
      ...(await manifestFaults(tarball)),
      ...(await typeFaults(tarball)),
    ];
    for (const fault of faults) console.error(`${folder}: ${fault}`);
    broken += faults.length;
  }
} finally {
  rmSync(tarballs, { recursive: true, force: true });
}
process.exitCode = broken > 0 ? 1 : 0;

/** Packs all of them at once, as a release does. */
function pack(names: readonly string[]): void {
  const filters = names.map((name) => `--filter=${name}`);
  // Otherwise pnpm may install before it packs.
  const env = { ...process.env, pnpm_config_verify_deps_before_run: "false" };
  execFileSync("pnpm", [...filters, "pack", "--pack-destination", tarballs], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function manifestFaults(tarball: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  return messages
    .filter(({ type }) => type !== "suggestion")
    .map((message) => `publint finds fault: ${formatMessage(message, pkg)}`);
}

async function typeFaults(tarball: Uint8Array): Promise<readonly string[]> {
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (!analysis.types || getExitCode(analysis, PROFILE) === 0) return [];
  return [`attw finds fault\n${await typed(analysis, { ...PROFILE, format: "ascii" })}`];
}
