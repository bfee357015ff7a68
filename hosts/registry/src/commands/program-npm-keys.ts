import type { Command as Program } from "commander";
import type { Json } from "./package.ts";
import type { Command } from "./command.ts";

type Ended = (code: number) => void;

/** `npm keys …`: what npm versions are signed with. */
export function addNpmKeys(npm: Program, command: Command, ended: Ended): void {
  const keys = npm
    .command("keys")
    .description("look after the keys that npm versions are signed with");
  keys
    .command("list")
    .description("list every key that clients verify signatures with")
    .option("--json", "for programs")
    .action(async (options: Json) => {
      ended(await (await import("./npm-keys.ts")).listNpmKeys(command, options));
    });
  keys
    .command("rotate")
    .description("sign with a new key from now on; older signatures stay valid")
    .option("--json", "for programs")
    .action(async (options: Json) => {
      ended(await (await import("./npm-keys.ts")).rotateNpmKey(command, options));
    });
  keys
    .command("revoke <key>")
    .description("list a key no more that was replaced, and sign again what it signed")
    .option("--json", "for programs")
    .action(async (key: string, options: Json) => {
      ended(await (await import("./npm-keys.ts")).revokeNpmKey(command, key, options));
    });
}
