import type { Hono } from "hono";
import type { NameSources } from "./name-sources.ts";
import { holderForm, holderPage, OWN_NAMES } from "./own-names.ts";
import type { OwnTask } from "./own-names.ts";
import { ownNamesPage } from "./own-names-page.ts";
import { newOwnPipelinePage, OWN_TASKS } from "./own-tasks.ts";

const NEW_PIPELINE = `${OWN_NAMES}/new-pipeline`;

/** Adds the page of the own names, and its forms. */
export function addOwnNameRoutes(app: Hono, sources: NameSources): void {
  app.get(OWN_NAMES, (c) => holderPage(sources, c, (holder) => ownNamesPage(sources, holder)));
  app.get(NEW_PIPELINE, (c) =>
    holderPage(sources, c, (holder) => newOwnPipelinePage(sources, holder)),
  );
  app.post(`${OWN_NAMES}/:task`, (c) => {
    const task = c.req.param("task");
    if (!isOwnTask(task)) return c.notFound();
    const { act, ...post } = OWN_TASKS[task];
    return holderForm(sources, { c, task, ...post }, (holder, form) => act(sources, holder, form));
  });
}

function isOwnTask(task: string): task is OwnTask {
  return Object.hasOwn(OWN_TASKS, task);
}
