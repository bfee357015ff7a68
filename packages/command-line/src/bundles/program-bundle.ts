import type { Command as Program } from "commander";
import type { BundleExportOptions } from "./bundle-export.ts";
import type { BundleImportOptions } from "./bundle-import.ts";
import type { Command } from "../command.ts";
import { withApply } from "../program-apply.ts";

type Ended = (code: number) => void;

const APPLY = {
  list: "list what would be imported; import nothing",
  apply: "import (default)",
};

/** The files of `--from`. */
export const LISTS_HELP =
  "package-lock.json, npm-shrinkwrap.json, pnpm-lock.yaml, yarn.lock, packages.lock.json," +
  " project.assets.json, or images.txt with one image per line";

/** The commands `bundle …` that read and write files. */
export function addBundle(program: Program, command: Command, ended: Ended): void {
  const bundle = program.command("bundle");
  addExport(bundle, command, ended);
  addBundleImport(bundle, command, ended);
}

function addExport(bundle: Program, command: Command, ended: Ended): void {
  bundle
    .command("export")
    .description("write the packages and images that lock files list to one file")
    .requiredOption("--from <file...>", LISTS_HELP)
    .requiredOption("--out <file>", "path of the bundle: out.tar; its signature is out.tar.sig")
    .option("--allow-missing", "write the bundle although something is missing")
    .option("--os <list>", "only npm packages for these systems: linux,win32,darwin")
    .option("--cpu <list>", "only npm packages for these processors: x64,arm64")
    .option("--unsigned", "write no signature")
    .option("--json", "print JSON")
    .action(async (options: BundleExportOptions) => {
      ended(await (await import("./bundle-export.ts")).exportBundleCommand(command, options));
    });
}

function addBundleImport(bundle: Program, command: Command, ended: Ended): void {
  const added = bundle
    .command("import <file>")
    .description("import a bundle; existing versions and images are skipped")
    .option("--trust-key <file>", "public key of the registry that wrote the bundle, as PEM")
    .option("--signature <file>", "signature of the bundle (default: its path with .sig)")
    .option("--unsigned", "accept a bundle without verifying its signature")
    .option("--move-tags", "move tags that point to another image in this registry")
    .option("--concurrency <number>", "maximum number of files in progress (1 to 64)", "4")
    .option("--json", "print JSON")
    .action(async (file: string, options: BundleImportOptions) => {
      ended(await (await import("./bundle-import.ts")).importBundleCommand(command, file, options));
    });
  withApply(added, APPLY);
}
