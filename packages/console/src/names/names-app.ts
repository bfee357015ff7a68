import type { LastingAction } from "@sealhouse/identity";
import { Hono } from "hono";
import type { Context } from "hono";
import type { FormValues } from "../kit/forms/form-fields.ts";
import { wordsIn } from "../kit/forms/posted-form.ts";
import { MANAGED_NAMES, parseManagedPath } from "../kit/links/name-address.ts";
import type { NameTask } from "../kit/links/name-address.ts";
import { managePage } from "./manage-page.ts";
import { managerForm, managerPage } from "./name-manager.ts";
import type { NameEnding, NameManager } from "./name-manager.ts";
import { namePipelineEnding, offerEnding, ownerEnding } from "./name-endings.ts";
import type { NameSources } from "./name-sources.ts";
import { addedOwner, changedVisibility, removedOwner } from "./owner-tasks.ts";
import { offeredName, withdrawnOffer } from "./transfer-tasks.ts";
import { pipelineWords } from "./pipeline-form.ts";
import { addedPipeline, newPipelinePage, removedPipeline } from "./pipeline-tasks.ts";
import { holderForm, holderPage, OWN_NAMES } from "./own-names.ts";
import type { OwnTask } from "./own-names.ts";
import { ownNamesPage } from "./own-names-page.ts";
import { newOwnPipelinePage, OWN_TASKS } from "./own-tasks.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

type TaskOf = {
  readonly act: (sources: NameSources, manager: NameManager, form: SentForm) => Promise<Response>;
  /** The action that a session must confirm. */
  readonly action: LastingAction;
  /** The change in words, before the name. */
  readonly words: (values: FormValues) => string;
  readonly ending?: NameEnding;
};

/** The forms of a name. */
export const NAME_TASKS: Readonly<Partial<Record<NameTask, TaskOf>>> = {
  "add-owner": {
    act: addedOwner,
    action: "change-owners",
    words: (values) =>
      `make ${wordsIn(values, "handle")} an owner (${wordsIn(values, "level")}) of`,
  },
  "remove-owner": {
    act: removedOwner,
    action: "change-owners",
    words: (values) => `remove the owner ${wordsIn(values, "handle")} of`,
    ending: ownerEnding,
  },
  offer: {
    act: offeredName,
    action: "change-owners",
    words: (values) =>
      `offer ${wordsIn(values, "to")} the right ${wordsIn(values, "offeredLevel")} on`,
  },
  withdraw: {
    act: withdrawnOffer,
    action: "change-owners",
    words: () => "withdraw an offer of",
    ending: offerEnding,
  },
  "new-pipeline": { act: addedPipeline, action: "add-trust", words: pipelineWords },
  "remove-pipeline": {
    act: removedPipeline,
    action: "add-trust",
    words: () => "remove a pipeline of",
    ending: namePipelineEnding,
  },
  visibility: {
    act: changedVisibility,
    action: "publish-name",
    words: (values) => `set the visibility ${wordsIn(values, "visibility")} of`,
  },
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
    return managerPage(sources, { c, name }, (manager) => newPipelinePage(sources, manager));
  });
  app.post(`${MANAGED_NAMES}/*`, (c) => {
    const { name, task } = managedIn(c) ?? {};
    if (!name || task === undefined || !isTask(task)) return c.notFound();
    const found = NAME_TASKS[task];
    if (!found) return c.notFound();
    const { act, ...post } = found;
    return managerForm(sources, { c, name, task, ...post }, (manager, form) =>
      act(sources, manager, form),
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
