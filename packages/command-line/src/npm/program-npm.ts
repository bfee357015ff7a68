import type { Command as Program } from "commander";
import type { LoginOptions } from "./npm-login.ts";
import type { Command } from "../command.ts";

type Ended = (code: number) => void;

/** Commands by which an operator confirms the requests of npm users. */
export function addNpm(program: Program, command: Command, ended: Ended): void {
  const load = () => import("./npm-login.ts");
  const npm = program.command("npm").description("administer npm: sign-ins, confirmations, keys");
  npm
    .command("login <code>")
    .description("approve a sign-in by its code")
    .requiredOption("--name <name>", "user name: alice")
    .option("--operator", "allow a token of the operators, when the name is no user's")
    .option("--scopes <list>", "scopes: read, stage, publish, write, delete, admin", "read,write")
    .option("--expires <when>", "end of the session: a span (90d, 12h, 1y), a date, or never", "1y")
    .option("--protocols <list>", "limit to protocols: nuget, npm, oci", "npm")
    .option("--patterns <list>", "limit to names: @acme/*", "")
    .option("--networks <list>", "limit to networks: 10.0.0.0/8", "")
    .option("--json", "print JSON")
    .action(async (code: string, options: LoginOptions) => {
      ended(await (await load()).approveLogin(command, code, options));
    });
  npm
    .command("confirm <code>")
    .description("approve an action that waits for a one-time password")
    .option("--json", "print JSON")
    .action(async (code: string, options: { json?: true }) => {
      ended(await (await load()).confirmAction(command, code, options));
    });
  npm
    .command("deny <code>")
    .description("deny a sign-in or an action")
    .option("--json", "print JSON")
    .action(async (code: string, options: { json?: true }) => {
      ended(await (await load()).denyLogin(command, code, options));
    });
}
