import type { Command as Program } from "commander";
import type { Command } from "../command.ts";
import type { DatabaseCopyOptions } from "./database-copy.ts";

/** The commands `db …`. */
export function addDatabase(
  program: Program,
  command: Command,
  ended: (code: number) => void,
): void {
  const database = program.command("db").description("manage the database");
  database
    .command("copy")
    .description("copy all rows to an empty database; stop every host first")
    .option("--from <url>", "source, such as sqlite:feed.db; default: the configured database")
    .option("--to <url>", "target, such as postgres://feed@db/sealhouse; its schema is created")
    .option("--to-env <name>", "environment variable with the URL of the target")
    .action(async (options: DatabaseCopyOptions) => {
      ended(await (await import("./database-copy.ts")).copy(command, options));
    });
}
