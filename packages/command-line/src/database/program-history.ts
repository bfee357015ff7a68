import type { Command as Program } from "commander";
import type { Command } from "../command.ts";
import type { HistoryOptions } from "./history.ts";

/** The commands `history` and `erase`. */
export function addHistory(
  program: Program,
  command: Command,
  ended: (code: number) => void,
): void {
  program
    .command("history <name>")
    .description("print when versions, tags, listing, owners and visibility of a name changed")
    .option("--protocol <protocol>", "nuget, npm or oci; default: all")
    .option("--at <time>", "only what held then: a date or time, such as 2027-01-31T12:00Z")
    .option("--limit <count>", "entries at most, 1 to 10000", "200")
    .option("--json", "print JSON")
    .action(async (name: string, options: HistoryOptions) => {
      ended(await (await import("./history.ts")).printHistory(command, name, options));
    });
  program
    .command("erase <protocol> <name> [item]")
    .description("remove deleted content, or one version or digest of it, from views as of a time")
    .action(async (protocol: string, name: string, item?: string) => {
      ended(await (await import("./erase.ts")).eraseDeleted(command, { protocol, name, item }));
    });
}
