import type { Command as Program } from "commander";
import type { Command, Json } from "../command.ts";

/** The commands `keys …`, for the key ring of the host. */
export function addKeys(program: Program, command: Command, ended: (code: number) => void): void {
  const keys = program.command("keys").description("manage the key ring of the host");
  keys
    .command("rotate")
    .description("add a key; older keys stay for decryption")
    .option("--json", "print JSON")
    .action(async (options: Json) => {
      ended(await (await import("./keys.ts")).rotateKeys(command, options));
    });
}
