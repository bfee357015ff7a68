import type { Command as Program } from "commander";
import type { DeprecateOptions, Json } from "./package.ts";
import type { RetentionOptions } from "./retention.ts";
import type { Command } from "./command.ts";

type Ended = (code: number) => void;

/** What becomes of NuGet packages after they were pushed. */
export function addPackage(program: Program, command: Command, ended: Ended): void {
  const load = () => import("./package.ts");
  const feed = program.command("package").description("deprecate and delete NuGet packages");
  feed
    .command("deprecate <id> [versions...]")
    .description("tell everybody who uses these versions, or all, to stop")
    .requiredOption("--reasons <list>", "of Legacy, CriticalBugs, Other")
    .option("--message <text>", "what people should know, up to 4000 characters")
    .option("--alternate <id[@range]>", "the package to use instead")
    .option("--json", "for programs")
    .action(async (id: string, versions: readonly string[], options: DeprecateOptions) => {
      ended(await (await load()).deprecatePackage(command, { id, versions }, options));
    });
  feed
    .command("undeprecate <id> [versions...]")
    .description("lift the deprecation of these versions, or of all")
    .option("--json", "for programs")
    .action(async (id: string, versions: readonly string[], options: Json) => {
      ended(await (await load()).undeprecatePackage(command, { id, versions }, options));
    });
  feed
    .command("delete <id> <version>")
    .description("delete a version for good; its number stays taken")
    .option("--json", "for programs")
    .action(async (id: string, version: string, options: Json) => {
      ended(await (await load()).deletePackage(command, { id, version }, options));
    });
  feed
    .command("tombstones <id>")
    .description("list the versions that were deleted for good")
    .option("--json", "for programs")
    .action(async (id: string, options: Json) => {
      ended(await (await load()).listTombstones(command, id, options));
    });
  feed
    .command("allow-reuse <id> <version>")
    .description("let the number of a deleted version be pushed again")
    .option("--json", "for programs")
    .action(async (id: string, version: string, options: Json) => {
      ended(await (await load()).allowReuse(command, { id, version }, options));
    });
}

export function addRetention(program: Program, command: Command, ended: Ended): void {
  program
    .command("retention")
    .description("remove old NuGet prereleases by the rules of the settings")
    .command("run")
    .description("say what would go; with --apply, or Retention__DryRun=false, remove it")
    .option("--apply", "whatever Retention__DryRun says")
    .option("--json", "for programs")
    .action(async (options: RetentionOptions) => {
      ended(await (await import("./retention.ts")).runRetentionCommand(command, options));
    });
}
