import type { Command as Program } from "commander";
import type { Command } from "../command.ts";
import type { TokenOptions } from "./create-token.ts";
import type { ListOptions } from "./list-tokens.ts";
import type { ReplaceOptions } from "./replace-token.ts";
import type { RevokeOptions } from "./revoke-token.ts";

type Ended = (code: number) => void;

/** The commands `token …`, for API tokens. */
export function addTokens(program: Program, command: Command, ended: Ended): void {
  const token = program.command("token").description("manage API tokens");
  addCreate(token, command, ended);
  addList(token, command, ended);
  token
    .command("replace <id>")
    .description("create a token with the same scopes and limits; the old one stays valid")
    .option("--expires <when>", "a span (90d, 12h, 1y), a date, or never", "1y")
    .option("--json", "print JSON")
    .action(async (id: string, options: ReplaceOptions) => {
      ended(await (await import("./replace-token.ts")).replaceTokenCommand(command, id, options));
    });
  token
    .command("revoke <id>")
    .description("revoke a token, by ID or prefix, and all tokens made with it; print them")
    .option("--dry-run", "print the tokens, change nothing")
    .option("--json", "print JSON")
    .action(async (id: string, options: RevokeOptions) => {
      ended(await (await import("./revoke-token.ts")).revokeToken(command, id, options));
    });
}

function addCreate(token: Program, command: Command, ended: Ended): void {
  token
    .command("create")
    .description("create a token and print it once, on standard output")
    .requiredOption("--name <name>", "name of the token: laptop, ci")
    .option("--scopes <list>", "scopes: read, stage, publish, write, delete, admin", "read")
    .option("--expires <when>", "a span (90d, 12h, 1y), a date, or never", "1y")
    .option("--protocols <list>", "limit to protocols: nuget, npm, oci", "")
    .option("--patterns <list>", "limit to names: Acme.*, @acme/*, team/app/**", "")
    .option("--networks <list>", "limit to networks: 10.0.0.0/8", "")
    .option("--user <handle>", "user whom the token belongs to (default: the operators)")
    .option("--account <name>", "service account that the token belongs to")
    .option("--json", "print JSON")
    .action(async (options: TokenOptions) => {
      ended(await (await import("./create-token.ts")).createTokenCommand(command, options));
    });
}

function addList(token: Program, command: Command, ended: Ended): void {
  token
    .command("list")
    .description("list tokens, without their values")
    .option("--owner <name>", "only tokens of this owner")
    .option("--user <handle>", "only tokens of this user")
    .option("--account <name>", "only tokens of this service account")
    .option("--state <state>", "only active, expired or revoked tokens")
    .option("--expires-within <span>", "only valid tokens that expire within a span: 30d")
    .option("--unused", "only tokens without a use")
    .option("--leaked", "only tokens that were reported as leaked")
    .option("--json", "print JSON")
    .action(async (options: ListOptions) => {
      ended(await (await import("./list-tokens.ts")).listTokens(command, options));
    });
}
