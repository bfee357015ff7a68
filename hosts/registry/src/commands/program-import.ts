import type { Command as Program } from "commander";
import type { ImportNpmOptions } from "./import-npm.ts";
import type { ImportOciOptions } from "./import-oci.ts";
import type { ImportNuGetOptions } from "./import.ts";
import type { Command } from "./run.ts";

type Ended = (code: number) => void;

export function addImport(program: Program, command: Command, ended: Ended): void {
  const imports = program.command("import").description("take packages over from another host");
  addNuGet(imports, command, ended);
  addNpm(imports, command, ended);
  addOci(imports, command, ended);
}

function addNuGet(imports: Program, command: Command, ended: Ended): void {
  imports
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

function addNpm(imports: Program, command: Command, ended: Ended): void {
  imports
    .command("npm <source>")
    .description(
      "from the storage folder of a Verdaccio, or the address of a registry; what is here already" +
        " is left alone, so it can be run again at any time",
    )
    .option("--packages <list>", "only these: left-pad,@acme/widgets@^1.2.0")
    .option("--packages-from <file>", "only these, one a line")
    .option("--pattern <list>", "only names that fit one of these: @acme/*,widgets-*")
    .option("--copies", "a folder: also what it only keeps a copy of")
    .option("--dry-run", "say what would be imported, and import nothing")
    .option("--fail-fast", "end with the first version that cannot be imported")
    .option("--json", "the report for programs")
    .option("--concurrency <number>", "packages under way at once", "4")
    .option("--cursor <file>", "a registry: where it is kept how far the import has come")
    .option("--from-start", "a registry: look at everything again, whatever the cursor says")
    .option("--token-env <variable>", "a registry: environment variable with a token")
    .option("--username <name>", "a registry: for the password")
    .option("--password-env <variable>", "a registry: environment variable with the password")
    .action(async (source: string, options: ImportNpmOptions) => {
      ended(await (await import("./import-npm.ts")).importNpm(command, source, options));
    });
}

function addOci(imports: Program, command: Command, ended: Ended): void {
  imports
    .command("oci <source>")
    .description(
      "images from an OCI layout, from the storage folder of a docker-registry, or from the" +
        " address of a registry, with a namespace or without; what is here already is left alone," +
        " so it can be run again at any time",
    )
    .option("--repositories <list>", "only these: team/app,team/other; a layout: what it is called")
    .option("--pattern <list>", "only names that fit one of these: team/*,tools/**")
    .option("--tags <list>", "only tags that fit one of these: 1.*,latest")
    .option("--into <name>", "put this before every name: mirror/team/app")
    .option("--untagged", "a storage folder: also manifests without a tag")
    .option("--move-tags", "let a tag that leads to another image here lead to the source's")
    .option("--dry-run", "say what would be imported, and import nothing")
    .option("--fail-fast", "end with the first image that cannot be imported")
    .option("--json", "the report for programs")
    .option("--concurrency <number>", "images, and blobs, under way at once", "4")
    .option("--cursor <file>", "a registry: where it is kept how far the import has come")
    .option("--from-start", "a registry: look at everything again, whatever was done before")
    .option("--token-env <variable>", "a registry: environment variable with a token")
    .option("--username <name>", "a registry: for the password")
    .option("--password-env <variable>", "a registry: environment variable with the password")
    .action(async (source: string, options: ImportOciOptions) => {
      ended(await (await import("./import-oci.ts")).importOci(command, source, options));
    });
}
