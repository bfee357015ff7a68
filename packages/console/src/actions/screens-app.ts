import type { Action, ActionForm } from "@sealhouse/administration";
import { fieldsOf } from "@sealhouse/administration/inputs";
import { Hono } from "hono";
import type { Context } from "hono";
import { sectionOf } from "../administration/administration-page.ts";
import { administratorPage } from "../administration/administrator.ts";
import type { Administrator } from "../administration/administrator.ts";
import { afterChange } from "../kit/forms/notices.ts";
import { nothingAt } from "../kit/refusals/not-found-page.ts";
import { resultPage } from "./action-page.ts";
import type { ActionSources } from "./action-sources.ts";
import { absentObject, noticeAfter, pathWith, routeOf } from "./screen.ts";
import type { Screen } from "./screen.ts";
import { changeForm, takeForm } from "./take-form.ts";
import type { Changed, FormPlace } from "./take-form.ts";

/** Renders the output of an action that is shown once, such as a secret. */
export type OutputPage = (administrator: Administrator, changed: Changed) => Promise<Response>;

/** Screens, and the pages of outputs by the ids of actions. */
export type Screens = {
  readonly screens: readonly Screen[];
  readonly outputs: Readonly<Record<string, OutputPage>>;
};

/** Serves screens, and the forms of the actions that have one. */
export async function createScreensApp(
  sources: ActionSources,
  { screens, outputs }: Screens,
): Promise<Hono> {
  const app = new Hono();
  const actions = await sources.actions.load();
  // `/new` comes before `/{name}`.
  for (const action of actions) addForm(app, sources, { action, outputs });
  for (const screen of screens) addScreen(app, sources, { screen, actions });
  app.onError((error) => {
    throw error;
  });
  app.notFound((c) => nothingAt(c, sources.site(c.req.raw, c.env)));
  return app;
}

function addScreen(
  app: Hono,
  sources: ActionSources,
  { screen, actions }: { readonly screen: Screen; readonly actions: readonly Action[] },
): void {
  app.get(routeOf(screen.path), (c) =>
    administratorPage(sources, c, async (administrator) => {
      const query = new URL(c.req.url).searchParams;
      const notice = noticeAfter(actions, query, administrator.address.root);
      const params = c.req.param();
      const asked = { sources, administrator, params, query, notice, c };
      const list = sectionOf(screen.path) ?? screen.path;
      return (await screen.render(asked)) ?? absentObject(administrator, { path: list });
    }),
  );
}

function addForm(
  app: Hono,
  sources: ActionSources,
  { action, outputs }: Pick<Screens, "outputs"> & { readonly action: Action },
): void {
  const { form } = action;
  if (!("button" in form)) return;
  const route = routeOf(form.page);
  app.get(route, (c) =>
    administratorPage(sources, c, (administrator) => {
      const values = new URL(c.req.url).searchParams;
      return changeForm(sources, administrator, { ...placeAt(c, action), values, problems: [] });
    }),
  );
  app.post(route, (c) =>
    takeForm(sources, c, placeAt(c, action), (administrator, changed) => {
      if (form.done !== undefined) return afterForm(administrator, { action, form }, changed);
      const show = outputs[action.id];
      if (show) return show(administrator, changed);
      const { values, output } = changed;
      const fields = fieldsOf(action.input);
      return resultPage(administrator, { action, fields, values, actions: [action], output });
    }),
  );
}

function placeAt(c: Context, action: Action): FormPlace {
  const fixed = c.req.param();
  const template = "page" in action.form ? action.form.page : "";
  const path = pathWith(template, fixed);
  return { action, path, backPath: parentOf(path), fixed };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function afterForm(
  { address }: Administrator,
  { action: { id }, form }: { readonly action: Action; readonly form: ActionForm },
  { values, output, job }: Changed,
): Response {
  const known = typeof output === "object" && output !== null ? output : {};
  const path = pathWith(form.after ?? parentOf(form.page), {
    ...Object.fromEntries(values),
    ...known,
  });
  return afterChange(address, path, id, job === undefined ? {} : { job });
}
