import type { Command as Program } from "commander";
import type { Command } from "../command.ts";

type Json = { readonly json?: true };

/** `sealhouse vulnerabilities …`, as commander sees it. */
export function addVulnerabilities(
  program: Program,
  command: Command,
  ended: (code: number) => void,
): void {
  const group = program
    .command("vulnerabilities")
    .description("manage advisories about vulnerable packages");
  group
    .command("import [location]")
    .description("import the configured sources now, or a folder, file or URL")
    .option("--source <name>", "only this configured source")
    .option("--name <name>", "name for the imported folder, file or URL")
    .option("--json", "print JSON")
    .action(async (location: string | undefined, options: Json & { readonly name?: string }) => {
      const { importVulnerabilities } = await import("./vulnerabilities.ts");
      ended(await importVulnerabilities(command, location, options));
    });
  group
    .command("list")
    .description("list imported sources")
    .option("--json", "print JSON")
    .action(async (options: Json) => {
      const { listVulnerabilitySources } = await import("./vulnerabilities.ts");
      ended(await listVulnerabilitySources(command, options));
    });
  group
    .command("remove <name>")
    .description("remove a source and its advisories")
    .action(async (name: string) => {
      const { removeVulnerabilitySource } = await import("./vulnerabilities.ts");
      ended(await removeVulnerabilitySource(command, name));
    });
}
