import { RefusedActionError } from "@sealhouse/administration";
import { EXIT_BUSY } from "../busy.ts";
import { CommandError } from "../command.ts";
import type { ProcessContext } from "../command.ts";
import { doListed, pagesOf } from "./list-pages.ts";
import type { TypedCall } from "./action-program.ts";

/** Does an action and resolves to its output. `report` takes lines about its progress. */
export type DoAction = (typed: TypedCall, report: (line: string) => void) => Promise<unknown>;

/** Where the output of an action goes, and where paths begin. */
export type ActionTerminal = Pick<ProcessContext, "stdout" | "stderr" | "workingFolder">;

/** Does an action and prints its output. Resolves to the exit code. */
export async function callAction(
  typed: TypedCall,
  terminal: ActionTerminal,
  doAction: DoAction,
): Promise<number> {
  const { optionOf } = typed;
  try {
    const report = (line: string) => terminal.stderr(line);
    const ask = (asked: TypedCall) => doAction(asked, report);
    const { print, input, isDryRun = false } = typed;
    if (print?.page) {
      const place = { ...terminal, input, isDryRun };
      for await (const page of pagesOf(typed, ask)) print.page(page, place);
      return 0;
    }
    return await printOutput(await doListed(typed, ask), typed, terminal);
  } catch (error) {
    if (!(error instanceof RefusedActionError)) throw error;
    // The exit code depends on what the registry could not do.
    if (error.cause !== undefined) throw error.cause;
    const { problems, message, reason } = error;
    const lines = problems.map(({ field, words }) => `${optionOf(field)} ${words}`);
    const text = lines.length === 0 ? message : lines.join("\n");
    if (reason !== "busy") throw new CommandError(text);
    terminal.stderr(text);
    return EXIT_BUSY;
  }
}

async function printOutput(
  output: unknown,
  { isJson, isDryRun = false, input, print, printOption: option = "" }: TypedCall,
  terminal: ActionTerminal,
): Promise<number> {
  const { workingFolder } = terminal;
  const printed = print?.prepare
    ? await print.prepare(output, { input, option, workingFolder })
    : output;
  if (print?.text && !isJson) print.text(printed, { ...terminal, input, isDryRun });
  else {
    const shown = print?.json ? print.json(printed) : jsonOf(printed);
    if (shown !== undefined) terminal.stdout(JSON.stringify(shown, undefined, 2));
  }
  return print?.code?.(printed) ?? 0;
}

/** A list is printed as its items, as before there was an API. */
function jsonOf(output: unknown): unknown {
  const isPage = typeof output === "object" && output !== null && "items" in output;
  return isPage ? output.items : output;
}
