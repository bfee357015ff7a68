import type { Command as Program } from "commander";
import type { Command } from "./command.ts";

type Json = { readonly json?: true };

/** `sealhouse vulnerabilities …`, as commander sees it. */
export function addVulnerabilities(
  program: Program,
  command: Command,
  ended: (code: number) => void,
): void {
  const group = program
    .command("vulnerabilities")
    .description("import and list what is known about vulnerable packages");
  group
    .command("import [location]")
    .description("read the sources of the settings now, or a folder, file or address named here")
    .option("--source <name>", "only this one of the settings")
    .option("--name <name>", "what the folder or address is called from now on")
    .option("--json", "for programs")
    .action(async (location: string | undefined, options: Json & { readonly name?: string }) => {
      const { importVulnerabilities } = await import("./vulnerabilities.ts");
      ended(await importVulnerabilities(command, location, options));
    });
  group
    .command("list")
    .description("list the sources that were imported")
    .option("--json", "for programs")
    .action(async (options: Json) => {
      const { listVulnerabilitySources } = await import("./vulnerabilities.ts");
      ended(await listVulnerabilitySources(command, options));
    });
  group
    .command("remove <name>")
    .description("forget a source that was imported by hand, with its advisories")
    .action(async (name: string) => {
      const { removeVulnerabilitySource } = await import("./vulnerabilities.ts");
      ended(await removeVulnerabilitySource(command, name));
    });
}
