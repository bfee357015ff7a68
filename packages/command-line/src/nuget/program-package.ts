import type { Command as Program } from "commander";
import type { DeprecateOptions } from "./package.ts";
import { withApply } from "../program-apply.ts";
import type { RetentionOptions } from "./retention.ts";
import type { Command, Json } from "../command.ts";

type Ended = (code: number) => void;

/** Commands for the life of NuGet packages after the push. */
export function addPackage(program: Program, command: Command, ended: Ended): void {
  const load = () => import("./package.ts");
  const feed = program.command("package").description("manage NuGet packages");
  feed
    .command("deprecate <id> [versions...]")
    .description("deprecate versions, or all versions of a package")
    .requiredOption("--reasons <list>", "reasons: Legacy, CriticalBugs, Other")
    .option("--message <text>", "message to users, up to 4000 characters")
    .option("--alternate <id[@range]>", "package to use instead")
    .option("--json", "print JSON")
    .action(async (id: string, versions: readonly string[], options: DeprecateOptions) => {
      ended(await (await load()).deprecatePackage(command, { id, versions }, options));
    });
  feed
    .command("undeprecate <id> [versions...]")
    .description("remove the deprecation of versions, or of all")
    .option("--json", "print JSON")
    .action(async (id: string, versions: readonly string[], options: Json) => {
      ended(await (await load()).undeprecatePackage(command, { id, versions }, options));
    });
  feed
    .command("delete <id> <version>")
    .description("delete a version permanently; its number cannot be reused")
    .option("--json", "print JSON")
    .action(async (id: string, version: string, options: Json) => {
      ended(await (await load()).deletePackage(command, { id, version }, options));
    });
  feed
    .command("tombstones <id>")
    .description("list permanently deleted versions")
    .option("--json", "print JSON")
    .action(async (id: string, options: Json) => {
      ended(await (await load()).listTombstones(command, id, options));
    });
  feed
    .command("allow-reuse <id> <version>")
    .description("allow a deleted version to be pushed again")
    .option("--json", "print JSON")
    .action(async (id: string, version: string, options: Json) => {
      ended(await (await load()).allowReuse(command, { id, version }, options));
    });
}

export function addRetention(program: Program, command: Command, ended: Ended): void {
  const run = program
    .command("retention")
    .description("apply the retention rules to NuGet prereleases")
    .command("run")
    .description("list prereleases that the rules select; --apply deletes or unlists them")
    .option("--json", "print JSON")
    .action(async (options: RetentionOptions) => {
      ended(await (await import("./retention.ts")).runRetentionCommand(command, options));
    });
  withApply(run, {
    list: "list prereleases; overrides Retention__DryRun",
    apply: "delete or unlist; overrides Retention__DryRun",
  });
}
