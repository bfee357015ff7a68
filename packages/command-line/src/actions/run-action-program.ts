import { GROUPS } from "@sealhouse/administration";
import { CommanderError } from "commander";
import type { Command as Program } from "commander";
import type { ProcessContext } from "../command.ts";
import { currentWords } from "./current-words.ts";
import { addAdministration } from "./program-actions.ts";
import type { OpenActions } from "./program-actions.ts";

const USAGE = 2;
/** `EX_UNAVAILABLE` of sysexits.h: the command needs the machine of the registry. */
const NEEDS_THE_MACHINE = 69;

/** A program that has the commands of actions, and a few others. */
export type ActionProgram = {
  readonly context: ProcessContext;
  readonly version: string;
  readonly open: OpenActions;
  /** Adds the other commands. */
  readonly others?: (ended: (code: number) => void) => void;
};

/** Runs one command line without the parts of a registry. Resolves to the exit code. */
export async function runActionProgram(
  program: Program,
  typed: readonly string[],
  { context, version, open, others }: ActionProgram,
): Promise<number> {
  const words = currentWords(typed);
  const { stdout, stderr } = context;
  let code = 0;
  const ended = (result: number) => (code = result);
  program
    .version(version)
    .configureOutput({
      writeOut: (text) => stdout(text.trimEnd()),
      writeErr: (text) => stderr(text.trimEnd()),
    })
    .exitOverride();
  await addAdministration(program, { words, context, open, ended });
  others?.(ended);
  if (needsMachine(program, words)) {
    const named = words.slice(0, 2).filter((word) => !word.startsWith("-"));
    stderr(`${named.join(" ")} needs the machine of the registry: run it there, without --remote.`);
    return NEEDS_THE_MACHINE;
  }
  try {
    await program.parseAsync([...words], { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE;
  }
}

function needsMachine(program: Program, [first, second = ""]: readonly string[]): boolean {
  if (first === undefined) return false;
  const groups = Object.values(GROUPS).filter(({ commands }) => Object.hasOwn(commands, first));
  if (groups.some(({ onMachine = [] }) => onMachine.includes(second))) return true;
  return !program.commands.some((one) => one.name() === first);
}
