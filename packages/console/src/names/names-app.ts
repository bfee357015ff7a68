import type { LastingAction } from "@sealhouse/identity";
import { Hono } from "hono";
import type { Context } from "hono";
import { shownPage } from "../kit/shown-page.ts";
import { confirmationFor } from "../sign-in/confirmation.ts";
import { managePage } from "./manage-page.ts";
import { MANAGED_NAMES, managedPath, parseManagedPath } from "./name-address.ts";
import type { NameTask } from "./name-address.ts";
import { managerForm, managerPage } from "./name-manager.ts";
import type { NameForm, NameManager } from "./name-manager.ts";
import type { NameSources } from "./name-sources.ts";
import { addedOwner, changedVisibility, removedOwner } from "./owner-tasks.ts";
import { addOwnNameRoutes } from "./own-names-routes.ts";
import { offeredName, withdrawnOffer } from "./transfer-tasks.ts";
import { addedPipeline, newPipelinePage, removedPipeline } from "./pipeline-tasks.ts";

type TaskOf = {
  readonly act: (sources: NameSources, manager: NameManager, form: NameForm) => Promise<Response>;
  /** The action that a session must confirm. */
  readonly action: LastingAction;
};

/** The forms of a name. */
export const NAME_TASKS: Readonly<Partial<Record<NameTask, TaskOf>>> = {
  "add-owner": { act: addedOwner, action: "change-owners" },
  "remove-owner": { act: removedOwner, action: "change-owners" },
  offer: { act: offeredName, action: "change-owners" },
  withdraw: { act: withdrawnOffer, action: "change-owners" },
  "new-pipeline": { act: addedPipeline, action: "add-trust" },
  "remove-pipeline": { act: removedPipeline, action: "add-trust" },
  visibility: { act: changedVisibility, action: "publish-name" },
};

/** Serves the pages on which owners and administrators manage names. */
export function createNamesApp(sources: NameSources): Hono {
  const app = new Hono();
  addOwnNameRoutes(app, sources);
  app.get(`${MANAGED_NAMES}/*`, (c) => {
    const { name, task } = managedIn(c) ?? {};
    if (!name) return c.notFound();
    if (task === undefined) {
      return managerPage(sources, { c, name }, (manager) => managePage(sources, manager));
    }
    if (task !== "new-pipeline") return c.notFound();
    // Asks before the form is filled in, because what was typed does not outlast the question.
    return shownPage(sources, c, (shown) => {
      const returnPath = managedPath(name, task) + new URL(c.req.url).search;
      return (
        confirmationFor(sources, shown, { action: "add-trust", returnPath }) ??
        managerPage(sources, { c, name }, (manager) => newPipelinePage(sources, manager))
      );
    });
  });
  app.post(`${MANAGED_NAMES}/*`, (c) => {
    const { name, task } = managedIn(c) ?? {};
    if (!name || task === undefined || !isTask(task)) return c.notFound();
    const found = NAME_TASKS[task];
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
  return Object.hasOwn(NAME_TASKS, task);
}
