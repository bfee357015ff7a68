import type { Action } from "@sealhouse/administration";
import { fieldsOf } from "@sealhouse/administration/inputs";
import type { Context } from "hono";
import { ACTIONS } from "../administration/administration-page.ts";
import { administratorPage } from "../administration/administrator.ts";
import type { Administrator } from "../administration/administrator.ts";
import { seeOther } from "../kit/forms/notices.ts";
import { notFoundResponse } from "../kit/refusals/not-found-page.ts";
import { inputIn, problemsIn } from "./action-input.ts";
import { actionsPage, formPage, resultPage } from "./action-page.ts";
import type { ActionSources } from "./action-sources.ts";
import { runAction } from "./run-action.ts";
import type { AskedAction } from "./run-action.ts";
import { changeForm, jobPath, takeForm } from "./take-form.ts";
import type { FormPlace } from "./take-form.ts";

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
    return changeForm(sources, administrator, { ...placeOf(action), values, problems: [] });
  });
}

/** The place of a form that every action has. */
function placeOf(action: Action): FormPlace {
  return { action, path: `${ACTIONS}/${action.id}`, backPath: ACTIONS, fixed: {} };
}

async function readResult(
  sources: ActionSources,
  administrator: Administrator,
  { action, values }: AskedAction,
): Promise<Response> {
  const checked = inputIn(action, values);
  const fields = fieldsOf(action.input);
  const isAsked = fields.every(({ name, isRequired }) => !isRequired || values.has(name));
  const form = { ...placeOf(action), fields, values };
  if (!isAsked) return formPage(administrator, { ...form, problems: [] });
  if ("problems" in checked) return formPage(administrator, { ...form, ...checked });
  const actions = await sources.actions.load();
  try {
    const output = await runAction(sources, administrator, { action, input: checked.input });
    return await resultPage(administrator, { ...form, actions, output });
  } catch (error) {
    return formPage(administrator, { ...form, problems: problemsIn(error) });
  }
}

/** Takes the form of a change. */
export async function takeAction(sources: ActionSources, c: Context): Promise<Response> {
  const actions = await sources.actions.load();
  const action = actions.find(({ id, method }) => id === c.req.param("id") && method !== "GET");
  if (!action)
    return administratorPage(sources, c, ({ site }) => notFoundResponse(site, c.req.path));
  const fields = fieldsOf(action.input);
  return takeForm(sources, c, placeOf(action), (administrator, { values, output, job }) => {
    if (job !== undefined) return seeOther(administrator.address.root + jobPath(job));
    return resultPage(administrator, { action, fields, values, actions, output });
  });
}
