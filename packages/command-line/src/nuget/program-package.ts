import type { Command as Program } from "commander";
import type { DeprecateOptions } from "./package.ts";
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
