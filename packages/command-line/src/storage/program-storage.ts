import type { Command as Program } from "commander";
import type { Command } from "../command.ts";
import { withApply } from "../program-apply.ts";
import type { StorageCopyOptions } from "./storage-copy.ts";

const STORES = [
  "",
  "A store is one of:",
  "  folder:/srv/packages   files in a folder",
  "  settings:blobs.json    settings Storage__… in a file of the form of appsettings.json",
  "  env:NEW_               environment variables such as NEW_Storage__Type",
].join("\n");

/** The commands `storage …`. */
export function addStorage(
  program: Program,
  {
    command,
    host,
  }: { readonly command: Command; readonly host: { adoptStorage(): Promise<number> } },
  ended: (code: number) => void,
): void {
  const storage = program.command("storage").description("manage the storage");
  const copy = storage
    .command("copy")
    .description("copy all objects to another store; exit code 1 when some could not be copied")
    .requiredOption("--to <store>", "target")
    .option("--from <store>", "source; default: the configured store")
    .option("--journal <file>", "file of verified objects; default: under Host__DataPath")
    .option("--concurrency <number>", "objects at once, 1 to 64", "8")
    .option("--json", "print JSON");
  storage
    .command("adopt")
    .description("make the configured storage that of this database; for a replaced database")
    .action(async () => ended(await host.adoptStorage()));
  withApply(copy, {
    list: "count the objects that the target lacks; write nothing",
    apply: "copy (default)",
  });
  copy.addHelpText("after", STORES).action(async (options: StorageCopyOptions) => {
    ended(await (await import("./storage-copy.ts")).copyStorage(command, options));
  });
}
