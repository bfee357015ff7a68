import { RefusedActionError } from "@sealhouse/administration";
import { CommandError } from "../command.ts";
import type { ProcessContext } from "../command.ts";
import { loadPrints } from "../prints.ts";
import { doListed, pagesOf } from "./list-pages.ts";
import type { TypedCall } from "./action-program.ts";

/** Does an action and resolves to its output. */
export type DoAction = (typed: TypedCall) => Promise<unknown>;

/** Does an action and prints its output. Resolves to the exit code. */
export async function callAction(
  typed: TypedCall,
  terminal: Pick<ProcessContext, "stdout" | "stderr">,
  doAction: DoAction,
): Promise<number> {
  const { action, isJson, isDryRun, input, optionOf } = typed;
  const prints = await loadPrints(action.id);
  const print = prints[action.id];
  try {
    const place = { ...terminal, input, isDryRun };
    if (print?.page) {
      for await (const page of pagesOf(typed, doAction)) print.page(page, place);
      return 0;
    }
    const output = await doListed(typed, doAction);
    if (print?.text && !isJson) print.text(output, place);
    else {
      const shown = print?.json ? print.json(output) : jsonOf(output);
      terminal.stdout(JSON.stringify(shown, undefined, 2));
    }
    return print?.code?.(output) ?? 0;
  } catch (error) {
    if (!(error instanceof RefusedActionError)) throw error;
    const { problems, message } = error;
    const lines = problems.map(({ field, words }) => `${optionOf(field)} ${words}`);
    throw new CommandError(lines.length === 0 ? message : lines.join("\n"));
  }
}

/** A list is printed as its items, as before there was an API. */
function jsonOf(output: unknown): unknown {
  const isPage = typeof output === "object" && output !== null && "items" in output;
  return isPage ? output.items : output;
}
