import { GROUPS } from "@sealhouse/administration";
import type { Action } from "@sealhouse/administration";
import type { Command as Program } from "commander";
import type { Surroundings } from "./action-program.ts";
import type { ActionTerminal, DoAction } from "./call-action.ts";

/** Opens what does actions; disposal closes it after the command. */
export type OpenActions = () => Promise<Partial<AsyncDisposable> & { readonly doAction: DoAction }>;

/**
 * Adds the commands of administrative actions. Only the group that the words name is loaded: the
 * others are listed with their summary.
 */
export async function addAdministration(
  program: Program,
  { words, ...parts }: AdministrationCommands & { readonly words: readonly string[] },
): Promise<void> {
  const first = words.find((word) => !word.startsWith("-"));
  for (const [name, group] of Object.entries(GROUPS)) {
    const { commands } = group;
    // Completion lists the words of all groups.
    if (first === "completion" || (first !== undefined && Object.hasOwn(commands, first))) {
      await addGroup(program, name, { actions: await group.load(), ...parts });
    }
    for (const [word, summary] of Object.entries(commands)) {
      const added = program.commands.find((one) => one.name() === word) ?? program.command(word);
      if (summary !== "") added.description(summary);
    }
  }
}

/** Whether words begin with those of an action. */
export async function areOfAction(words: readonly string[]): Promise<boolean> {
  const [first = ""] = words;
  const named = Object.values(GROUPS).filter(({ commands }) => Object.hasOwn(commands, first));
  const actions = (await Promise.all(named.map((group) => group.load()))).flat();
  if (actions.length === 0) return false;
  const { pathsOf } = await import("./action-program.ts");
  return actions.some((action) =>
    pathsOf(action).some((path) => path.every((word, at) => words[at] === word)),
  );
}

type AdministrationCommands = {
  readonly context: Surroundings & ActionTerminal;
  readonly open: OpenActions;
  readonly ended: (code: number) => void;
};

async function addGroup(
  program: Program,
  name: string,
  {
    actions,
    context,
    open,
    ended,
  }: AdministrationCommands & { readonly actions: readonly Action[] },
): Promise<void> {
  const { addActions } = await import("./action-program.ts");
  const { loadPrints } = await import("../prints.ts");
  addActions(program, actions, {
    surroundings: context,
    prints: await loadPrints(name),
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
