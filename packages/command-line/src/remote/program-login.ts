import type { Command as Program } from "commander";
import type { ProcessContext } from "../command.ts";

/** The commands that sign in at another registry, and out. */
export function addLogin(
  program: Program,
  terminal: Pick<ProcessContext, "env" | "stop" | "stderr">,
  ended: (code: number) => void,
): void {
  const load = () => import("./login.ts");
  program
    .command("login <url>")
    .description("sign in at another registry, for commands with --remote")
    .option("--scopes <list>", "admin, or parts of it: people:write,tokens:write", "admin")
    .action(async (url: string, options: { readonly scopes: string }) =>
      ended(await (await load()).login(terminal, url, options)),
    );
  program
    .command("logout <url>")
    .description("revoke the token of a sign-in at another registry, and delete it here")
    .action(async (url: string) => ended(await (await load()).logout(terminal, url)));
}
