import type { Command as Program } from "commander";
import type { ImportNuGetOptions } from "./import.ts";
import type { Command } from "./run.ts";

export function addImport(program: Program, command: Command, ended: (code: number) => void): void {
  program
    .command("import")
    .description("take packages over from another host")
    .command("nuget <source>")
    .description(
      "from a folder of .nupkg files, the storage folder of a BaGet-like host, or the address of" +
        " a v3 feed; what is here already is left alone, so it can be run again at any time",
    )
    .option("--dry-run", "say what would be imported, and import nothing")
    .option("--json", "the report for programs")
    .option("--concurrency <number>", "files under way at once", "4")
    .option("--mirrored", "mark what comes as somebody else's, which retention leaves alone")
    .option("--symbols", "a feed: symbol packages too, where it gives them back")
    .option("--ids <file>", "a feed: only these ids, one a line")
    .option("--cursor <file>", "a feed: where it is kept how far the import has come")
    .option("--from-start", "a feed: look at everything again, whatever the cursor says")
    .option("--username <name>", "a feed: for the password")
    .option("--password-env <variable>", "a feed: environment variable with password or token")
    .option(
      "--api-key-env <variable>",
      "a feed: environment variable with a key, for X-NuGet-ApiKey",
    )
    .action(async (source: string, options: ImportNuGetOptions) => {
      ended(await (await import("./import.ts")).importNuGet(command, source, options));
    });
}
