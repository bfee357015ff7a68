import { RefusedActionError } from "@sealhouse/administration";
import type { Action } from "@sealhouse/administration";
import {
  checkRow,
  fieldsOf,
  inputOfTexts,
  problemsOf,
  runAction,
  tagOf as readTag,
} from "@sealhouse/administration/inputs";
import type { Field, FieldValues, RowCheck } from "@sealhouse/administration/inputs";
import type { Context } from "hono";
import { ACTIONS } from "../administration/administration-page.ts";
import { administratorForm, administratorPage } from "../administration/administrator.ts";
import type { Administrator } from "../administration/administrator.ts";
import { EXPIRED } from "../kit/forms/form-fields.ts";
import type { FieldProblem } from "../kit/forms/form-fields.ts";
import { wordsIn } from "../kit/forms/posted-form.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";
import { notFoundResponse } from "../kit/refusals/not-found-page.ts";
import { actionsPage, formPage, resultPage, TAG_FIELD } from "./action-page.ts";
import type { ActionSources } from "./action-sources.ts";

/** Renders `GET /administration/actions`. */
export function listActions(sources: ActionSources, c: Context): Promise<Response> {
  return administratorPage(sources, c, async (administrator) =>
    actionsPage(administrator, await sources.actions.load()),
  );
}

/** Renders the form of a change, or the result of a read. */
export function showAction(sources: ActionSources, c: Context): Promise<Response> {
  return administratorPage(sources, c, async (administrator) => {
    const actions = await sources.actions.load();
    const action = actions.find(({ id }) => id === c.req.param("id"));
    if (!action) return notFoundResponse(administrator.site, c.req.path);
    const values = new URL(c.req.url).searchParams;
    if (action.method === "GET") return readResult(sources, administrator, { action, values });
    return changeForm(sources, administrator, { action, values, problems: [] });
  });
}

type Asked = { readonly action: Action; readonly values: URLSearchParams };

async function readResult(
  sources: ActionSources,
  administrator: Administrator,
  { action, values }: Asked,
): Promise<Response> {
  const checked = inputIn(action, values);
  const fields = fieldsOf(action.input);
  const isAsked = fields.every(({ name, isRequired }) => !isRequired || values.has(name));
  const given = { action, fields, values };
  if (!isAsked) return formPage(administrator, { ...given, problems: [] });
  if ("problems" in checked) return formPage(administrator, { ...given, ...checked });
  const actions = await sources.actions.load();
  try {
    const output = await run(sources, administrator, { action, input: checked.input });
    return await resultPage(administrator, { ...given, actions, output });
  } catch (error) {
    return formPage(administrator, { ...given, problems: problemsIn(error) });
  }
}

async function changeForm(
  sources: ActionSources,
  administrator: Administrator,
  { action, values, problems }: Asked & { readonly problems: readonly FieldProblem[] },
): Promise<Response> {
  const tag = await tagOf(sources, administrator, { action, values });
  const fields = fieldsOf(action.input);
  return formPage(administrator, { action, fields, values, problems, tag });
}

/** The state of the row that an action changes; undefined without a row. */
async function tagOf(
  sources: ActionSources,
  administrator: Administrator,
  { action, values }: Asked,
): Promise<string | undefined> {
  const reader = (await sources.actions.load()).find(({ id }) => id === action.changes);
  const checked = reader && inputIn(reader, values);
  if (!reader || !checked || "problems" in checked) return undefined;
  try {
    const { parts } = sources.actions;
    const { caller, site, from } = administrator;
    const { signal } = from.request;
    const asked = { input: checked.input, parts, caller, now: site.now, signal, isDryRun: false };
    return (await readTag(reader, asked)).replaceAll('"', "");
  } catch (error) {
    if (error instanceof RefusedActionError) return undefined;
    throw error;
  }
}

const CHANGED: FieldProblem = {
  name: "Form",
  words: "is older than the last change of this entry; check it and send it again",
};

/** The row has changed since the form was shown. */
class ChangedError extends Error {
  override readonly name = "ChangedError";
  readonly code = "row-changed";
}

/** Takes the form of a change. */
export async function takeAction(sources: ActionSources, c: Context): Promise<Response> {
  const actions = await sources.actions.load();
  const action = actions.find(({ id, method }) => id === c.req.param("id") && method !== "GET");
  if (!action)
    return administratorPage(sources, c, ({ site }) => notFoundResponse(site, c.req.path));
  const path = `${ACTIONS}/${action.id}`;
  const lasting = action.lasting && {
    action: action.lasting,
    subject: (values: URLSearchParams) => subjectOf(action, values),
    backPath: path,
    ending: (values: URLSearchParams) => endingOf(sources, action, values),
  };
  return administratorForm(sources, { c, path, ...(lasting && { lasting }) }, (admin, form) =>
    changed(sources, admin, { action, form }),
  );
}

async function changed(
  sources: ActionSources,
  administrator: Administrator,
  { action, form }: { readonly action: Action; readonly form: SentForm },
): Promise<Response> {
  const { values, isExpired } = form;
  const again = (problems: readonly FieldProblem[]) =>
    changeForm(sources, administrator, { action, values, problems });
  if (isExpired) return again([EXPIRED]);
  const checked = inputIn(action, values);
  if ("problems" in checked) return again(checked.problems);
  const seen = values.get(TAG_FIELD);
  const compare = async (tag: () => Promise<string>) => {
    if (seen !== null && seen !== (await tag()).replaceAll('"', "")) throw new ChangedError();
  };
  const asked = { action, input: checked.input, compare };
  const fields = fieldsOf(action.input);
  const actions = await sources.actions.load();
  try {
    if (action.isLong) return await startedJob(sources, administrator, asked);
    const output = await run(sources, administrator, asked);
    return await resultPage(administrator, { action, fields, values, actions, output });
  } catch (error) {
    return again(error instanceof ChangedError ? [CHANGED] : problemsIn(error));
  }
}

type Running = {
  readonly action: Action;
  readonly input: Record<string, unknown>;
  /** Throws when the row that the action changes has another entity tag than the form. */
  readonly compare?: RowCheck["compare"];
};

async function startedJob(
  { actions: { parts, runner, ...actions } }: ActionSources,
  { caller, site, address, from }: Administrator,
  { action, input, compare = async () => {} }: Running,
): Promise<Response> {
  const asked = { input, parts, caller, now: site.now, isDryRun: false };
  const { signal } = from.request;
  await checkRow(action, { ...asked, signal }, { actions: await actions.load(), compare });
  const job = await runner.start(action, asked);
  const location = `${address.root}${ACTIONS}/jobs.show?id=${job}`;
  return new Response(undefined, {
    status: 303,
    headers: { location, "cache-control": "no-store" },
  });
}

async function run(
  { actions }: ActionSources,
  { caller, site, from }: Administrator,
  { action, input, compare = async () => {} }: Running,
): Promise<unknown> {
  const { signal } = from.request;
  const { parts } = actions;
  const asked = { input, parts, caller, now: site.now, signal, isDryRun: false };
  return runAction(action, asked, { actions: await actions.load(), compare });
}

/** The end that a change brings, by its dry run. */
async function endingOf(
  { actions: { parts } }: ActionSources,
  action: Action,
  values: URLSearchParams,
) {
  if (!action.ending || !action.hasDryRun) return undefined;
  const checked = inputIn(action, values);
  if ("problems" in checked) return undefined;
  const signal = new AbortController().signal;
  const asked = { parts, caller: { actor: "plan" }, now: new Date(), signal, isDryRun: true };
  try {
    return action.ending(await action.run({ ...asked, input: checked.input }));
  } catch (error) {
    // The form shows the reason of the refusal.
    if (error instanceof RefusedActionError) return undefined;
    throw error;
  }
}

function subjectOf({ summary, input }: Action, values: URLSearchParams): string {
  const shown = fieldsOf(input)
    .filter(({ isSecret, isRequired }) => isRequired && !isSecret)
    .map(({ name }) => wordsIn(values, name))
    .filter((words) => words !== "");
  return shown.length === 0 ? summary : `${summary}: ${shown.join(", ")}`;
}

type Checked =
  | { readonly input: Record<string, unknown> }
  | { readonly problems: readonly FieldProblem[] };

function inputIn(action: Action, values: URLSearchParams): Checked {
  const texts: FieldValues = Object.fromEntries(
    fieldsOf(action.input).map((one) => [one.name, textOf(one, values)]),
  );
  const checked = action.input.safeParse(inputOfTexts(action.input, texts), { reportInput: true });
  if (checked.success) return { input: checked.data };
  const problems = problemsOf(checked.error).map(({ path, words }) => ({
    name: String(path[0]),
    words,
  }));
  return { problems };
}

function textOf({ name, kind }: Field, values: URLSearchParams): FieldValues[string] {
  const text = values.get(name)?.trim();
  if (kind !== "list") return text;
  const lines = values.getAll(name).flatMap((value) => value.split(/\r?\n/));
  const given = lines.map((line) => line.trim()).filter((line) => line !== "");
  return given.length === 0 ? undefined : given;
}

function problemsIn(error: unknown): readonly FieldProblem[] {
  if (!(error instanceof RefusedActionError)) throw error;
  const { problems, message } = error;
  if (problems.length === 0) return [{ name: "", words: message }];
  return problems.map(({ field, words }) => ({ name: field, words }));
}
