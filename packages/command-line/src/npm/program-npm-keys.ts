import type { Command as Program } from "commander";
import type { Command, Json } from "../command.ts";

type Ended = (code: number) => void;

/** `npm keys …`: what npm versions are signed with. */
export function addNpmKeys(npm: Program, command: Command, ended: Ended): void {
  const keys = npm.command("keys").description("manage the signing keys of npm packages");
  keys
    .command("list")
    .description("list the keys that clients verify signatures with")
    .option("--json", "print JSON")
    .action(async (options: Json) => {
      ended(await (await import("./npm-keys.ts")).listNpmKeys(command, options));
    });
  keys
    .command("rotate")
    .description("create a new key; older signatures stay valid")
    .option("--json", "print JSON")
    .action(async (options: Json) => {
      ended(await (await import("./npm-keys.ts")).rotateNpmKey(command, options));
    });
  keys
    .command("revoke <key>")
    .description("revoke a replaced key and sign its versions again")
    .option("--json", "print JSON")
    .action(async (key: string, options: Json) => {
      ended(await (await import("./npm-keys.ts")).revokeNpmKey(command, key, options));
    });
}
