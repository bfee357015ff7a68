import { GROUPS } from "@sealhouse/administration";
import type { Command as Program } from "commander";
import type { ProcessContext } from "../command.ts";
import type { DoAction } from "./call-action.ts";

/** Opens what does actions; disposal closes it after the command. */
export type OpenActions = () => Promise<Partial<AsyncDisposable> & { readonly doAction: DoAction }>;

/**
 * Adds the commands of administrative actions. Only the group that the words name is loaded: the
 * others are listed with their summary.
 */
export async function addAdministration(
  program: Program,
  {
    words,
    context,
    open,
    ended,
  }: {
    readonly words: readonly string[];
    readonly context: Pick<ProcessContext, "env" | "workingFolder" | "stdout" | "stderr">;
    readonly open: OpenActions;
    readonly ended: (code: number) => void;
  },
): Promise<void> {
  const first = words.find((word) => !word.startsWith("-"));
  for (const group of Object.values(GROUPS)) {
    for (const [word, summary] of Object.entries(group.commands)) {
      const added = program.commands.find((one) => one.name() === word) ?? program.command(word);
      if (summary !== "") added.description(summary);
    }
    if (first === undefined || !Object.hasOwn(group.commands, first)) continue;
    const { addActions } = await import("./action-program.ts");
    addActions(program, await group.load(), {
      surroundings: context,
      async call(typed) {
        const { callAction } = await import("./call-action.ts");
        const { doAction, ...opened } = await open();
        try {
          ended(await callAction(typed, context, doAction));
        } finally {
          await opened[Symbol.asyncDispose]?.();
        }
      },
    });
  }
}
