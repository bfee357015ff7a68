import { RefusedActionError } from "@sealhouse/administration";
import type { Action, Ending } from "@sealhouse/administration";
import {
  checkRow,
  entityTagOf,
  fieldsOf,
  runAction as runChecked,
  tagOf as readTag,
} from "@sealhouse/administration/inputs";
import type { RowCheck } from "@sealhouse/administration/inputs";
import type { Administrator } from "../administration/administrator.ts";
import { wordsIn } from "../kit/forms/posted-form.ts";
import type { FieldProblem } from "../kit/forms/form-fields.ts";
import { inputIn, problemsIn } from "./action-input.ts";
import type { ActionSources } from "./action-sources.ts";

type Input = Record<string, unknown>;

/** Other servers are asked while a person waits. */
const ASKED_MAX_MS = 60_000;

/** An action with its input. */
export type Running = {
  readonly action: Action;
  readonly input: Input;
  /** Throws when the row that the action changes has another entity tag than the form. */
  readonly compare?: RowCheck["compare"];
};

/** Runs an action for the administrator of a request. */
export async function runAction(
  { actions }: ActionSources,
  administrator: AskedBy,
  { action, input, compare = async () => {} }: Running,
): Promise<unknown> {
  const asked = askedBy(actions.parts, administrator, { action, input });
  return runChecked(action, asked, { actions: await actions.load(), compare });
}

/** Starts the job of a long action, and returns its id. */
export async function startJob(
  { actions }: ActionSources,
  administrator: AskedBy,
  { action, input, compare = async () => {} }: Running,
): Promise<string> {
  const { signal, ...asked } = askedBy(actions.parts, administrator, { action, input });
  await checkRow(action, { ...asked, signal }, { actions: await actions.load(), compare });
  return actions.runner.start(action, asked);
}

type AskedBy = Pick<Administrator, "caller" | "site" | "from">;

function askedBy(
  parts: ActionSources["actions"]["parts"],
  { caller, site, from }: AskedBy,
  { action, input }: Pick<Running, "action" | "input">,
) {
  const { signal: left } = from.request;
  const isAsking = action.changesNothing === true;
  const signal = isAsking ? AbortSignal.any([left, AbortSignal.timeout(ASKED_MAX_MS)]) : left;
  return { input, parts, caller, now: site.now, signal, isDryRun: false };
}

/** Returns the action with an id. */
export async function actionNamed({ actions }: ActionSources, id: string): Promise<Action> {
  const found = (await actions.load()).find((action) => action.id === id);
  if (!found) throw new Error(`There is no action ${id}.`);
  return found;
}

/** Reads the output of an action for the texts of a query, or why it refused them. */
export async function askAction(
  sources: ActionSources,
  administrator: Administrator,
  { action, values }: AskedAction,
): Promise<{ readonly output?: unknown; readonly problems: readonly FieldProblem[] }> {
  const checked = inputIn(action, values);
  if ("problems" in checked) return checked;
  try {
    const output = await runAction(sources, administrator, { action, input: checked.input });
    return { output, problems: [] };
  } catch (error) {
    return { problems: problemsIn(error) };
  }
}

/** Reads the output of an action by its id; undefined: it refused. */
export async function readAction<Output>(
  sources: ActionSources,
  administrator: Administrator,
  [id, given]: readonly [id: string, input?: Input],
): Promise<Output | undefined> {
  const action = await actionNamed(sources, id);
  try {
    const input = action.input.parse(given ?? {});
    // The output of an action has the type of its schema.
    return (await runAction(sources, administrator, { action, input })) as Output;
  } catch (error) {
    if (error instanceof RefusedActionError) return undefined;
    throw error;
  }
}

export type AskedAction = { readonly action: Action; readonly values: URLSearchParams };

/** The state of the row that an action changes; undefined without a row. */
export async function tagOf(
  { actions }: ActionSources,
  administrator: Administrator,
  { action, values }: AskedAction,
): Promise<string | undefined> {
  const reader = (await actions.load()).find(({ id }) => id === action.changes);
  const checked = reader && inputIn(reader, values);
  if (!reader || !checked || "problems" in checked) return undefined;
  const asked = { action: reader, input: checked.input };
  try {
    return plainTag(await readTag(reader, askedBy(actions.parts, administrator, asked)));
  } catch (error) {
    if (error instanceof RefusedActionError) return undefined;
    throw error;
  }
}

/** The entity tag of an output, as a form sends it. */
export function shownTag(reader: Action, output: unknown): string {
  return plainTag(entityTagOf(reader, reader.output.parse(output)));
}

/** An entity tag without its quotes. */
export function plainTag(tag: string): string {
  return tag.replaceAll('"', "");
}

/** The end that a change brings; undefined when nothing ends, or the action would be refused. */
export async function endingOf(
  { actions: { parts }, rules }: ActionSources,
  { action, values }: AskedAction,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  const checked = action.ending || action.preview ? inputIn(action, values) : undefined;
  if (!checked || "problems" in checked) return undefined;
  const planned = { parts, caller: { actor: "plan" }, now: rules.now(), signal, isDryRun: true };
  const asked = { ...planned, input: checked.input };
  try {
    if (action.preview) return await action.preview(asked);
    return action.hasDryRun ? action.ending?.(await action.run(asked)) : undefined;
  } catch (error) {
    // The form shows the reason of the refusal.
    if (error instanceof RefusedActionError) return undefined;
    throw error;
  }
}

/** The change that a session confirms, in words. */
export function subjectOf({ action: { summary, input }, values }: AskedAction): string {
  const shown = fieldsOf(input)
    .filter(({ isSecret, isRequired }) => isRequired && !isSecret)
    .map(({ name }) => wordsIn(values, name))
    .filter((words) => words !== "");
  return shown.length === 0 ? summary : `${summary}: ${shown.join(", ")}`;
}
