import { EXPIRED } from "../kit/forms/form-fields.ts";
import type { ListedSource, SourceChange } from "@sealhouse/upstream-sources";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import type { Ending } from "../kit/forms/ask-first.ts";
import type { FieldProblem, FormValues } from "../kit/forms/form-fields.ts";
import { wordsIn } from "../kit/forms/posted-form.ts";
import { sourceEnding } from "./administration-endings.ts";
import { administrationPage, NEW_SOURCE, sourcePath, SOURCES } from "./administration-page.ts";
import { afterChange } from "../kit/forms/notices.ts";
import { administratorForm, administratorPage } from "./administrator.ts";
import type { Administrator, LastingChange } from "./administrator.ts";
import type { AdministrationSources } from "./model.ts";
import { CREDENTIALS_FIELD } from "./source-fields.ts";
import { newSourceValues, parseSourceForm, problemOf, sourceValues } from "./source-form.ts";
import { newSourcePageResponse, sourcePageResponse } from "./source-page.ts";
import type { Mirrored } from "./source-page.ts";
import { sourcesPageResponse } from "./sources-page.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

const TEST_TIMEOUT_MS = 30_000;

const NEW: LastingChange = {
  action: "change-sources",
  subject: (values) => `add ${wordsIn(values, "Name")} with ${urlIn(values)}`,
  backPath: NEW_SOURCE,
};

/** Adds the pages of package sources. */
export function addSourceRoutes(app: Hono, sources: AdministrationSources): void {
  app.get(SOURCES, (c) =>
    administratorPage(sources, c, async (administrator) =>
      sourcesPageResponse(administrator, await sources.sources.list(), sources),
    ),
  );
  app.get(NEW_SOURCE, (c) =>
    administratorPage(sources, c, (administrator) => {
      const values = newSourceValues(sources.fallbacks);
      return newSourcePageResponse(administrator, { values, problems: [] });
    }),
  );
  app.post(NEW_SOURCE, (c) =>
    administratorForm(sources, { c, path: NEW_SOURCE, lasting: NEW }, (administrator, form) =>
      addedSource(sources, administrator, form),
    ),
  );
  app.get(`${SOURCES}/:name`, (c) =>
    administratorPage(sources, c, async (administrator) => {
      const listed = await findSource(sources, nameIn(c));
      if (!listed) return unknownSource(administrator);
      const { name: source, protocol } = listed.source;
      const mirrored = await sources.mirroredFrom({ protocol, source });
      return unchangedSource(administrator, listed, { mirrored });
    }),
  );
  app.post(`${SOURCES}/:name`, (c) => changeOf(sources, c, undefined, savedSource));
  app.post(`${SOURCES}/:name/enable`, (c) => changeOf(sources, c, "enable", switchedSource(true)));
  app.post(`${SOURCES}/:name/disable`, (c) =>
    changeOf(sources, c, "disable", switchedSource(false)),
  );
  app.post(`${SOURCES}/:name/remove`, (c) => changeOf(sources, c, "remove", removedSource));
  addTestRoute(app, sources);
}

/** Tests stored sources and those of the settings. */
function addTestRoute(app: Hono, sources: AdministrationSources): void {
  app.post(`${SOURCES}/:name/test`, (c) => {
    const path = sourcePath(nameIn(c), "test");
    return administratorForm(sources, { c, path }, async (administrator, { isExpired }) => {
      const listed = await findSource(sources, nameIn(c));
      if (!listed) return unknownSource(administrator);
      if (isExpired) return unchangedSource(administrator, listed);
      const signal = AbortSignal.timeout(TEST_TIMEOUT_MS);
      const report = await sources.sources.test(listed.source, signal);
      const form = { values: sourceValues(listed.source), problems: [] };
      const isOwn = listed.source.from === "database";
      return sourcePageResponse(administrator, listed, { report, ...(isOwn && { form }) });
    });
  });
}

type Change = (
  sources: AdministrationSources,
  administrator: Administrator,
  change: { readonly listed: ListedSource; readonly form: SentForm },
) => Promise<Response>;

/** Changes a source of the database. */
function changeOf(
  sources: AdministrationSources,
  c: Context,
  action: "enable" | "disable" | "remove" | undefined,
  change: Change,
): Promise<Response> {
  const name = nameIn(c);
  const path = sourcePath(name, action);
  const lasting: LastingChange = {
    action: "change-sources",
    subject: (values) => (action ? `${action} ${name}` : `change ${name}, with ${urlIn(values)}`),
    backPath: sourcePath(name),
    ...(action === "remove" && { ending: () => removalOf(sources, name) }),
  };
  return administratorForm(sources, { c, path, lasting }, async (administrator, form) => {
    const listed = await findSource(sources, name);
    if (!listed) return unknownSource(administrator);
    if (listed.source.from === "configuration") return fixedSource(administrator, listed);
    if (form.isExpired && action)
      return unchangedSource(administrator, listed, { problems: [EXPIRED] });
    return change(sources, administrator, { listed, form });
  });
}

async function removalOf(
  sources: AdministrationSources,
  name: string,
): Promise<Ending | undefined> {
  const listed = await findSource(sources, name);
  const isOwn = listed?.source.from === "database";
  return isOwn ? sourceEnding(sources, listed) : undefined;
}

/** The address without the credentials that it may contain. */
function urlIn(values: FormValues): string {
  const text = values.get("FeedUrl")?.trim() ?? "";
  const url = URL.parse(text);
  return url ? `${url.protocol}//${url.host}${url.pathname}` : "an address";
}

function nameIn(c: Context): string {
  return c.req.param("name") ?? "";
}

/** Names differ without regard to letter case; those of the database come first. */
async function findSource(
  { sources }: AdministrationSources,
  name: string,
): Promise<ListedSource | undefined> {
  const listed = await sources.list();
  return listed.find(({ source }) => source.name.toLowerCase() === name.toLowerCase());
}

async function addedSource(
  { sources, fallbacks }: AdministrationSources,
  administrator: Administrator,
  { values, isExpired }: SentForm,
): Promise<Response> {
  const { address, caller } = administrator;
  const refused = (problems: readonly FieldProblem[]) =>
    newSourcePageResponse(administrator, { values, problems });
  if (isExpired) return refused([EXPIRED]);
  const outcome = parseSourceForm(values, fallbacks);
  if (outcome.status === "refused") return refused(outcome.problems);
  const change = await sources.put(outcome.source, { isReplacing: false, caller });
  const problems = problemsOf(change);
  return problems.length > 0 ? refused(problems) : afterChange(address, SOURCES, "added");
}

const savedSource: Change = async (
  { sources, fallbacks },
  administrator,
  { listed, form: { values, isExpired } },
) => {
  const { address, caller } = administrator;
  const refused = (problems: readonly FieldProblem[]) =>
    sourcePageResponse(administrator, listed, { form: { values, problems } });
  if (isExpired) return refused([EXPIRED]);
  const outcome = parseSourceForm(values, fallbacks, listed);
  if (outcome.status === "refused") return refused(outcome.problems);
  const change = await sources.put(outcome.source, { isReplacing: true, caller });
  const problems = problemsOf(change);
  return problems.length > 0 ? refused(problems) : afterChange(address, SOURCES, "changed");
};

function switchedSource(isEnabled: boolean): Change {
  return async ({ sources }, administrator, { listed }) => {
    const { address, caller } = administrator;
    if (listed.isUnreadable) {
      const words = "cannot be decrypted; enter them again";
      const problems = [{ name: CREDENTIALS_FIELD, words }];
      return unchangedSource(administrator, listed, { problems });
    }
    const problems = problemsOf(await sources.enable(listed.source.name, isEnabled, caller));
    if (problems.length > 0) return unchangedSource(administrator, listed, { problems });
    return afterChange(address, SOURCES, isEnabled ? "enabled" : "disabled");
  };
}

const removedSource: Change = async ({ sources }, { address, caller }, { listed }) => {
  await sources.remove(listed.source.name, caller);
  return afterChange(address, SOURCES, "removed");
};

function problemsOf(change: SourceChange): readonly FieldProblem[] {
  switch (change.status) {
    case "changed":
      return [];
    case "refused":
      return change.problems.map(problemOf);
    case "exists":
      return [{ name: "Name", words: "is the name of another source; edit that one instead" }];
    case "absent":
      return [{ name: "Name", words: "is no longer the name of a source" }];
  }
}

function unchangedSource(
  administrator: Administrator,
  listed: ListedSource,
  {
    problems = [],
    mirrored,
  }: {
    readonly problems?: readonly FieldProblem[];
    readonly mirrored?: Mirrored;
  } = {},
): Promise<Response> {
  const isOwn = listed.source.from === "database";
  const form = { values: sourceValues(listed.source), problems };
  const shown = { ...(isOwn && { form }), ...(mirrored && { mirrored }) };
  return sourcePageResponse(administrator, listed, shown);
}

function unknownSource(administrator: Administrator): Promise<Response> {
  const body = html`<p>
    There is no such source. <a href="${administrator.address.root}${SOURCES}">List all sources</a>
  </p>`;
  return administrationPage(
    administrator,
    { title: "Source not found", section: SOURCES, body },
    404,
  );
}

function fixedSource(administrator: Administrator, { source }: ListedSource): Promise<Response> {
  const body = html`<p>
    Nothing was changed: <code>${source.name}</code> comes from the settings of the host, so it can
    be changed only there.
  </p>`;
  const title = "Source of the settings";
  return administrationPage(administrator, { title, section: SOURCES, body }, 409);
}
