import type { LastingAction } from "@sealhouse/identity";
import { Hono } from "hono";
import type { Context } from "hono";
import { managePage } from "./manage-page.ts";
import { MANAGED_NAMES, parseManagedPath } from "./name-address.ts";
import type { NameTask } from "./name-address.ts";
import { managerForm, managerPage } from "./name-manager.ts";
import type { NameForm, NameManager } from "./name-manager.ts";
import type { NameSources } from "./name-sources.ts";
import { addedOwner, changedVisibility, removedOwner } from "./owner-tasks.ts";

type TaskOf = {
  readonly act: (sources: NameSources, manager: NameManager, form: NameForm) => Promise<Response>;
  /** The action that a session must confirm. */
  readonly action: LastingAction;
};

/** The forms of a name. */
const TASKS: Readonly<Partial<Record<NameTask, TaskOf>>> = {
  "add-owner": { act: addedOwner, action: "change-owners" },
  "remove-owner": { act: removedOwner, action: "change-owners" },
  visibility: { act: changedVisibility, action: "publish-name" },
};

/** Serves the pages on which owners and administrators manage names. */
export function createNamesApp(sources: NameSources): Hono {
  const app = new Hono();
  app.get(`${MANAGED_NAMES}/*`, (c) => {
    const { name, task } = managedIn(c) ?? {};
    if (!name || task !== undefined) return c.notFound();
    return managerPage(sources, { c, name }, (manager) => managePage(sources, manager));
  });
  app.post(`${MANAGED_NAMES}/*`, (c) => {
    const { name, task } = managedIn(c) ?? {};
    if (!name || task === undefined || !isTask(task)) return c.notFound();
    const found = TASKS[task];
    if (!found) return c.notFound();
    return managerForm(sources, { c, name, task, action: found.action }, (manager, form) =>
      found.act(sources, manager, form),
    );
  });
  return app;
}

function managedIn(c: Context) {
  return parseManagedPath(new URL(c.req.url).pathname.slice(MANAGED_NAMES.length + 1));
}

function isTask(task: string): task is NameTask {
  return Object.hasOwn(TASKS, task);
}
