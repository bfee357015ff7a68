import type { Command as Program } from "commander";
import type { Command, Json } from "../command.ts";

type Ended = (code: number) => void;

/** The commands `visibility …`: who may see a package or a repository. */
export function addVisibility(program: Program, command: Command, ended: Ended): void {
  const visibility = program
    .command("visibility")
    .description("manage who may see a package or an image repository");
  const load = () => import("./visibility.ts");
  visibility
    .command("set <name> <visibility>")
    .description("make a name private, internal or public: npm:@acme/bar private")
    .action(async (name: string, word: string) =>
      ended(await (await load()).setVisibility(command, { name, visibility: word })),
    );
  visibility
    .command("list")
    .description("list the names that are not public")
    .option("--json", "print JSON")
    .action(async (options: Json) =>
      ended(await (await load()).listVisibilities(command, options)),
    );
}
