import { Option } from "commander";
import type { Command as Program } from "commander";
import { CommandError } from "./command.ts";

// Commands that can list what they would change have `--dry-run` and `--apply`. Those that delete
// or repair list by default; those that add (imports, signatures) apply by default.

/** The options of a command that can list its changes. */
export type ApplyOptions = {
  readonly dryRun?: true | undefined;
  readonly apply?: true | undefined;
};

/** Adds `--apply` and `--dry-run` to a command, and a hidden former name of `--apply`. */
export function withApply(
  program: Program,
  {
    list,
    apply,
    former,
  }: { readonly list: string; readonly apply: string; readonly former?: string },
): Program {
  program.option("--dry-run", list).option("--apply", apply);
  if (former !== undefined) {
    program.addOption(
      new Option(former, "the same as --apply").implies({ apply: true }).hideHelp(),
    );
  }
  return program;
}

/** @throws CommandError for two options that contradict each other */
export function refuseBoth({ dryRun, apply }: ApplyOptions): void {
  if (dryRun && apply) throw new CommandError("Use --dry-run or --apply, not both.");
}
