import type { Command as Program } from "commander";
import { addNpmKeys } from "./program-npm-keys.ts";
import type { Command } from "./run.ts";

type Ended = (code: number) => void;

/** What is particular to the npm registry. */
export function addNpm(program: Program, command: Command, ended: Ended): void {
  const npm = program.command("npm").description("look after the npm registry");
  addNpmKeys(npm, command, ended);
}
