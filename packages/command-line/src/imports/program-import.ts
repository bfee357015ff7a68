import type { Command as Program } from "commander";
import type { ImportNpmOptions } from "./import-npm.ts";
import type { ImportOciOptions } from "./import-oci.ts";
import type { ImportNuGetOptions } from "./import.ts";
import { withApply } from "../program-apply.ts";
import type { Command } from "../command.ts";

type Ended = (code: number) => void;

const APPLY = {
  list: "list what would be imported; import nothing",
  apply: "import (default)",
};

export function addImport(program: Program, command: Command, ended: Ended): void {
  const imports = program.command("import").description("import packages from another host");
  addNuGet(imports, command, ended);
  addNpm(imports, command, ended);
  addOci(imports, command, ended);
}

function addNuGet(imports: Program, command: Command, ended: Ended): void {
  const added = imports
    .command("nuget <source>")
    .description(
      "import from a folder of .nupkg files, the storage folder of a BaGet-like host, or a v3" +
        " feed; existing versions are skipped",
    )
    .option("--json", "print JSON")
    .option("--concurrency <number>", "maximum number of files in progress (1 to 64)", "4")
    .option("--owner <handle>", "user or team that owns the new names")
    .option("--mirrored", "mark packages as mirrored; retention skips them")
    .option("--symbols", "feeds only: import symbol packages too")
    .option("--ids <file>", "feeds only: import the ids in this file, one per line")
    .option("--cursor <file>", "feeds only: file for the progress of the import")
    .option("--from-start", "feeds only: ignore the saved progress and read everything")
    .option("--username <name>", "feeds only: user name for the password")
    .option(
      "--password-env <variable>",
      "feeds only: environment variable with a password or token",
    )
    .option(
      "--api-key-env <variable>",
      "feeds only: environment variable with a key for X-NuGet-ApiKey",
    )
    .action(async (source: string, options: ImportNuGetOptions) => {
      ended(await (await import("./import.ts")).importNuGet(command, source, options));
    });
  withApply(added, APPLY);
}

function addNpm(imports: Program, command: Command, ended: Ended): void {
  const added = imports
    .command("npm <source>")
    .description(
      "import from the storage folder of Verdaccio, or a registry; existing versions are skipped",
    )
    .option("--owner <handle>", "user or team that owns the new names")
    .option("--packages <list>", "import these packages: left-pad,@acme/widgets@^1.2.0")
    .option("--packages-from <file>", "import the packages in this file, one per line")
    .option("--pattern <list>", "import names that match a pattern: @acme/*,widgets-*")
    .option("--copies", "folders only: import packages that Verdaccio cached, too")
    .option("--fail-fast", "stop at the first version that is refused or fails")
    .option("--json", "print JSON")
    .option("--concurrency <number>", "maximum number of packages in progress (1 to 64)", "4")
    .option("--cursor <file>", "registries only: file for the progress of the import")
    .option("--from-start", "registries only: ignore the saved progress and read everything")
    .option("--token-env <variable>", "registries only: environment variable with a token")
    .option("--username <name>", "registries only: user name for the password")
    .option("--password-env <variable>", "registries only: environment variable with the password")
    .action(async (source: string, options: ImportNpmOptions) => {
      ended(await (await import("./import-npm.ts")).importNpm(command, source, options));
    });
  withApply(added, APPLY);
}

function addOci(imports: Program, command: Command, ended: Ended): void {
  const added = imports
    .command("oci <source>")
    .description(
      "import images from an OCI layout, the storage folder of docker-registry, or a registry" +
        " with an optional namespace; existing images are skipped",
    )
    .option(
      "--repositories <list>",
      "import these: team/app,team/other; for a layout: name of its repository",
    )
    .option("--pattern <list>", "import names that match a pattern: team/*,tools/**")
    .option("--tags <list>", "import tags that match a pattern: 1.*,latest")
    .option("--into <name>", "prefix of all names in this registry: mirror")
    .option("--owner <handle>", "user or team that owns the new names")
    .option("--untagged", "storage folders only: import manifests without a tag, too")
    .option("--move-tags", "move tags that point to another image in this registry")
    .option("--fail-fast", "stop at the first image that is refused or fails")
    .option("--json", "print JSON")
    .option(
      "--concurrency <number>",
      "maximum number of images and of blobs in progress (1 to 64)",
      "4",
    )
    .option("--cursor <file>", "registries only: file for the progress of the import")
    .option("--from-start", "registries only: ignore the saved progress and read everything")
    .option("--token-env <variable>", "registries only: environment variable with a token")
    .option("--username <name>", "registries only: user name for the password")
    .option("--password-env <variable>", "registries only: environment variable with the password")
    .action(async (source: string, options: ImportOciOptions) => {
      ended(await (await import("./import-oci.ts")).importOci(command, source, options));
    });
  withApply(added, APPLY);
}
