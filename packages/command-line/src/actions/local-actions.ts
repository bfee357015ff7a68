import type { AdministrationParts } from "@sealhouse/administration";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { openPepper, teamGroupProblem } from "@sealhouse/identity";
import type { Command } from "../command.ts";
import { operator } from "../operator.ts";
import { printDatabase, refuseOtherPepper } from "../token-places.ts";
import type { DoAction } from "./call-action.ts";

/**
 * Does actions with the parts of the registry that the settings of the command describe. Disposal
 * closes the parts that were opened.
 */
export function localActions(command: Command): AsyncDisposable & { readonly doAction: DoAction } {
  const opened = new AsyncDisposableStack();
  const parts = localParts(command, opened);
  const { stop: signal, now = () => new Date() } = command;
  return {
    doAction: ({ action, input, isDryRun }) =>
      action.run({ input, parts, caller: operator(), now: now(), signal, isDryRun }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Each part is opened by its first use. */
function localParts(command: Command, opened: AsyncDisposableStack): AdministrationParts {
  let database: Promise<Database> | undefined;
  const openRows = async () => {
    const { config } = command.load();
    const options = { migrate: config.migrateAtStart, ...(command.now && { now: command.now }) };
    return opened.use(await openDatabase(config.database, options));
  };
  return {
    rows: () => (database ??= openRows()),
    async pepper() {
      const { config } = command.load();
      const pepper = await openPepper(config.host.pepper);
      refuseOtherPepper(command, { database: config.database, pepper });
      printDatabase(command, config.database);
      return pepper;
    },
    groupProblem: (text) => teamGroupProblem(text, command.load().config.signIn?.provider.name),
  };
}
