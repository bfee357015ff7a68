import type { Command as Program } from "commander";
import type { LoginOptions } from "./npm-login.ts";
import { addNpmKeys } from "./program-npm-keys.ts";
import type { Command } from "./command.ts";

type Ended = (code: number) => void;

/** What an operator agrees to for people who wait at their npm. */
export function addNpm(program: Program, command: Command, ended: Ended): void {
  const load = () => import("./npm-login.ts");
  const npm = program.command("npm").description("look after the npm registry");
  npm
    .command("login <code>")
    .description("let in whoever shows this code, and say as whom")
    .requiredOption("--name <name>", "who it is: alice")
    .option("--scopes <list>", "read, stage, publish, write, delete, admin", "read,write")
    .option(
      "--expires <when>",
      "when the login ends: a span (90d, 12h, 1y), a date, or never",
      "1y",
    )
    .option("--protocols <list>", "for nuget, npm or oci", "npm")
    .option("--patterns <list>", "only for names such as @acme/*", "")
    .option("--networks <list>", "only from networks such as 10.0.0.0/8", "")
    .option("--json", "for programs")
    .action(async (code: string, options: LoginOptions) => {
      ended(await (await load()).agreeToLogin(command, code, options));
    });
  npm
    .command("confirm <code>")
    .description("confirm what somebody's npm wants a one-time password for")
    .option("--json", "for programs")
    .action(async (code: string, options: { json?: true }) => {
      ended(await (await load()).confirmAction(command, code, options));
    });
  npm
    .command("deny <code>")
    .description("refuse a login or a confirmation")
    .option("--json", "for programs")
    .action(async (code: string, options: { json?: true }) => {
      ended(await (await load()).denyLogin(command, code, options));
    });
  addNpmKeys(npm, command, ended);
}
