// Makes a release: `pnpm release` builds, checks, versions with changesets and packs every public
// package into `release/`. With `--dry-run` it versions and packs a copy of the last commit. Both
// audit the lock file first; `--advisories=PATH` gives OSV documents for registries that cannot.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runChecks } from "./check.ts";
import { ADVISORIES_VARIABLE, askDocuments, askRegistry, auditRelease } from "./release-audit.ts";
import { parseManifest, tarballProblems } from "./release-tarball.ts";

const root = process.cwd();
const { values: flags } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, advisories: { type: "string" } },
});
process.exitCode = flags["dry-run"] ? dryRun() : await release();

async function release(): Promise<number> {
  if (outputOf(root, "git", "status", "--porcelain") !== "") {
    console.error("commit or remove your changes first: a release starts from a clean work tree");
    return 1;
  }
  if (!audit(false)) return 1;
  // What an earlier build left must not be packed, neither from here nor from turbo's cache.
  for (const { folder } of publicPackages(root)) {
    rmSync(join(root, folder, "dist"), { recursive: true, force: true });
  }
  run(root, "turbo", "run", "build", "--force", "--concurrency=2");
  const { failed } = await runChecks();
  if (failed > 0) return 1;
  const target = join(root, "release");
  rmSync(target, { recursive: true, force: true });
  if (!versionAndPack(root, target)) return 1;
  console.log(
    "Review and commit the versions and changelogs, then publish release/*.tgz in order.",
  );
  return 0;
}

/** The work tree stays unchanged. Needs `dist`: `pnpm check` and CI build first. */
function dryRun(): number {
  if (!audit(true)) return 1;
  const copy = mkdtempSync(join(tmpdir(), "sealhouse-release-"));
  try {
    run(tmpdir(), "git", "clone", "--quiet", root, copy);
    // Not a link to a folder: pnpm would install through it into this work tree.
    const changesets = "node_modules/@changesets/cli";
    mkdirSync(dirname(join(copy, changesets)), { recursive: true });
    symlinkSync(join(root, changesets), join(copy, changesets));
    for (const { folder } of publicPackages(root)) copyIgnored(folder, copy);
    return versionAndPack(copy, join(copy, "release")) ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Prints known vulnerabilities of the lock file, and returns false if they stop the release. */
function audit(isDryRun: boolean): boolean {
  const advisories = flags.advisories ?? process.env[ADVISORIES_VARIABLE] ?? "";
  const { passes, lines } = auditRelease({
    registry: () => askRegistry(root),
    documents: advisories === "" ? undefined : () => askDocuments(root, advisories),
    isDryRun,
  });
  for (const line of lines) console.error(line);
  return passes;
}

/** Copies what git ignores of a package and packing needs. */
function copyIgnored(folder: string, copy: string): void {
  for (const part of ["dist", "node_modules"]) {
    const source = join(root, folder, part);
    // Relative links point to the packages of the copy, whose versions are the new ones.
    const options = { recursive: true, verbatimSymlinks: true };
    if (existsSync(source)) cpSync(source, join(copy, folder, part), options);
  }
}

function versionAndPack(folder: string, target: string): boolean {
  const before = new Map(publicPackages(folder).map(({ name, version }) => [name, version]));
  run(folder, join(root, "node_modules/.bin/changeset"), "version");
  mkdirSync(target);
  const packages = publicPackages(folder);
  const names = packages.map(({ name }) => `--filter=${name}`);
  run(folder, "pnpm", ...names, "pack", "--pack-destination", target);
  const problems = packages.flatMap(({ name, version }) => {
    const tarball = join(target, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
    if (!existsSync(tarball)) return [`${name}: was not packed`];
    const files = outputOf(folder, "tar", "-tzf", tarball).split("\n");
    const manifest = outputOf(folder, "tar", "-xzOf", tarball, "package/package.json");
    return tarballProblems({ name, version, files, manifest });
  });
  for (const problem of problems) console.error(problem);
  const changed = packages.filter(({ name, version }) => before.get(name) !== version);
  console.log(`packed ${packages.length} packages, ${changed.length} with a new version`);
  return problems.length === 0;
}

/** Public packages of a work tree, in the order of their names. */
function publicPackages(folder: string) {
  return globSync(["packages/*/package.json", "hosts/*/package.json"], { cwd: folder })
    .map((path) => ({
      folder: dirname(path),
      ...parseManifest(readFileSync(resolve(folder, path), "utf8")),
    }))
    .filter((manifest) => !manifest.private)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function run(cwd: string, command: string, ...args: readonly string[]): void {
  // Otherwise pnpm installs before it packs, because the versions have changed.
  const env = { ...process.env, pnpm_config_verify_deps_before_run: "false" };
  const options = { cwd, env, encoding: "utf8" } as const;
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status !== 0)
    throw new Error(`${command} ${args[0]} failed\n${stdout}${stderr}`, { cause: error });
}

function outputOf(cwd: string, command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed\n${stderr}`);
  return stdout.trim();
}
