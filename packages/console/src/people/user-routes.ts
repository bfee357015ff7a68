import {
  changeRole,
  changeState,
  lineProblem,
  openSessionsOf,
  REASON_MAX,
  ROLES,
} from "@sealhouse/identity";
import type { Person, UserAction, UserChanged } from "@sealhouse/identity";
import type { Context, Hono } from "hono";
import { USERS } from "../administration/administration-page.ts";
import { afterChange } from "../kit/forms/notices.ts";
import { administratorPage } from "../administration/administrator.ts";
import type { Administrator } from "../administration/administrator.ts";
import { EXPIRED } from "../kit/forms/form-fields.ts";
import type { Ending } from "../kit/forms/ask-first.ts";
import type { FieldProblem } from "../kit/forms/form-fields.ts";
import { wordsIn } from "../kit/forms/posted-form.ts";
import { blockEnding, sessionsEnding } from "./people-endings.ts";
import { peopleForm } from "./people-form.ts";
import { unknownPage } from "./people-parts.ts";
import type { PeopleSources } from "./people-sources.ts";
import { userPageResponse } from "./user-page.ts";
import { userPath, userQueryOf, usersIn, usersPageResponse } from "./users-page.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

/** Adds the pages of users. */
export function addUserRoutes(app: Hono, sources: PeopleSources): void {
  const { people, userDetails } = sources;
  app.get(USERS, (c) =>
    administratorPage(sources, c, async (administrator) => {
      const query = userQueryOf(c.req.raw);
      const found = usersIn(await people.list(), query);
      const accounts = await userDetails.accounts(found.shown.map(({ id }) => id));
      return usersPageResponse(administrator, { ...found, query, accounts });
    }),
  );
  app.get(`${USERS}/:handle`, (c) =>
    administratorPage(sources, c, async (administrator) => {
      const person = await people.find(handleIn(c));
      return person ? userPage(sources, administrator, { person }) : unknownUser(administrator);
    }),
  );
  app.post(`${USERS}/:handle/role`, (c) => changeOf(sources, c, "role", setRole));
  for (const action of ["approve", "block", "unblock"] as const) {
    app.post(`${USERS}/:handle/${action}`, (c) => changeOf(sources, c, action, setState(action)));
  }
  app.post(`${USERS}/:handle/end-sessions`, (c) =>
    changeOf(sources, c, "end-sessions", endSessions),
  );
}

type Change = (
  sources: PeopleSources,
  administrator: Administrator,
  change: { readonly person: Person; readonly form: SentForm },
) => Promise<Response>;

function changeOf(
  sources: PeopleSources,
  c: Context,
  action: NonNullable<Parameters<typeof userPath>[1]>,
  change: Change,
): Promise<Response> {
  const handle = handleIn(c);
  const subject = (values: URLSearchParams) => {
    if (action === "role") return `set the role of ${handle} to ${wordsIn(values, "role")}`;
    return action === "end-sessions" ? `end the sessions of ${handle}` : `${action} ${handle}`;
  };
  const ending = () => endingOf(sources, action, handle);
  const form = { c, path: userPath(handle, action), page: userPath(handle), subject, ending };
  return peopleForm(sources, form, async (administrator, sent) => {
    const person = await sources.people.find(handle);
    if (!person) return unknownUser(administrator);
    if (sent.isExpired) {
      return userPage(sources, administrator, { person, problems: [EXPIRED] }, 422);
    }
    return change(sources, administrator, { person, form: sent });
  });
}

const ENDINGS: ReadonlyMap<string, typeof blockEnding> = new Map([
  ["block", blockEnding],
  ["end-sessions", sessionsEnding],
]);

async function endingOf(
  sources: PeopleSources,
  action: NonNullable<Parameters<typeof userPath>[1]>,
  handle: string,
): Promise<Ending | undefined> {
  const endingFor = ENDINGS.get(action);
  const person = endingFor && (await sources.people.find(handle));
  return endingFor && person && endingFor(sources, person);
}

const setRole: Change = async (sources, administrator, { person, form }) => {
  const text = form.values.get("role");
  const role = [...ROLES, "group" as const].find((known) => known === text);
  if (role === undefined) {
    const problems = [{ name: "Role", words: "has no such choice" }];
    return userPage(sources, administrator, { person, problems }, 422);
  }
  const changed = await changeRole(sources.people, person, { role, by: administrator.caller });
  const notice = role === "group" ? "role-by-groups" : "role-set";
  return shownChange(sources, administrator, { person, changed, notice });
};

const NOTICE_OF = { approve: "approved", block: "blocked", unblock: "unblocked" } as const;

function setState(action: UserAction): Change {
  return async (sources, administrator, { person, form }) => {
    const reason = form.values.get("reason")?.trim() ?? "";
    const words = lineProblem(reason, REASON_MAX);
    if (words !== undefined) {
      const problems = [{ name: "Reason", words }];
      return userPage(sources, administrator, { person, problems }, 422);
    }
    const changed = await changeState(sources.people, person, {
      action,
      ...(reason !== "" && action === "block" && { reason }),
      by: administrator.caller,
    });
    return shownChange(sources, administrator, { person, changed, notice: NOTICE_OF[action] });
  };
}

const endSessions: Change = async ({ sessions }, { address, caller }, { person }) => {
  await sessions.endAll(person.id, caller);
  return afterChange(address, userPath(person.handle), "sessions-ended");
};

type ShownChange = {
  readonly person: Person;
  readonly changed: UserChanged;
  readonly notice: string;
};

async function shownChange(
  sources: PeopleSources,
  administrator: Administrator,
  { person, changed, notice }: ShownChange,
): Promise<Response> {
  if (changed.status === "done") {
    return afterChange(administrator.address, userPath(person.handle), notice);
  }
  const problems = [{ name: "User", words: `cannot be changed: ${changed.text}` }];
  return userPage(sources, administrator, { person, problems }, 409);
}

async function userPage(
  sources: PeopleSources,
  administrator: Administrator,
  shown: { readonly person: Person; readonly problems?: readonly FieldProblem[] },
  status = 200,
): Promise<Response> {
  const { person, problems = [] } = shown;
  const { id, handle } = person;
  const [accounts, teams, named, names, stored] = await Promise.all([
    sources.userDetails.accounts([id]),
    sources.userDetails.teams(id),
    sources.tokens.listNamed(handle),
    sources.ownerships.names(id),
    sources.sessions.ofUser(id),
  ]);
  const tokens = named.filter(({ userId, revokedAt }) => userId === id && !revokedAt);
  const sessions = openSessionsOf(stored, person, sources.rules.now());
  const contents = { person, accounts, teams, tokens, names, sessions, problems };
  return userPageResponse(administrator, contents, status);
}

function handleIn(c: Context): string {
  return c.req.param("handle") ?? "";
}

function unknownUser(administrator: Administrator): Promise<Response> {
  const page = { title: "User not found", section: USERS, all: "List all users" } as const;
  return unknownPage(administrator, page);
}
