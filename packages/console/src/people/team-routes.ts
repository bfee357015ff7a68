import { addTeam, TEAM_LEVELS, TEAM_MEMBERS_MAX, teamProblems } from "@sealhouse/identity";
import type { Team } from "@sealhouse/identity";
import type { Context, Hono } from "hono";
import { teamPath, TEAMS } from "../administration/administration-page.ts";
import { afterChange } from "../kit/forms/notices.ts";
import { administratorPage } from "../administration/administrator.ts";
import type { Administrator } from "../administration/administrator.ts";
import { EXPIRED } from "../kit/forms/form-fields.ts";
import type { FieldProblem, FormValues } from "../kit/forms/form-fields.ts";
import { wordsIn } from "../kit/forms/posted-form.ts";
import { memberEnding } from "./people-endings.ts";
import { peopleForm } from "./people-form.ts";
import type { PeopleForm } from "./people-form.ts";
import { unknownPage } from "./people-parts.ts";
import type { PeopleSources } from "./people-sources.ts";
import { removalPath, teamPageResponse, teamsPageResponse } from "./teams-page.ts";
import type { TypedTexts } from "./teams-page.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

/** Adds the pages of teams. */
export function addTeamRoutes(app: Hono, sources: PeopleSources): void {
  app.get(TEAMS, (c) =>
    administratorPage(sources, c, (administrator) => teamsPage(sources, administrator)),
  );
  app.post(TEAMS, (c) =>
    peopleForm(
      sources,
      {
        c,
        path: TEAMS,
        page: TEAMS,
        subject: (values) => `add the team ${wordsIn(values, "handle")}`,
      },
      (administrator, form) => addedTeam(sources, administrator, form),
    ),
  );
  app.get(`${TEAMS}/:handle`, (c) =>
    administratorPage(sources, c, async (administrator) => {
      const team = await sources.teams.find(paramIn(c, "handle"));
      return team ? teamPage(sources, administrator, team) : unknownTeam(administrator);
    }),
  );
  app.post(`${TEAMS}/:handle/change`, (c) =>
    changeOf(sources, c, { ...formOf(c, "change"), change: changedTeam }),
  );
  app.post(`${TEAMS}/:handle/members`, (c) =>
    changeOf(sources, c, { ...formOf(c, "members"), change: addedMember }),
  );
  app.post(`${TEAMS}/:handle/members/:user/remove`, (c) => {
    const user = paramIn(c, "user");
    const path = removalPath(paramIn(c, "handle"), user);
    const subject = () => `remove ${user} from the team ${paramIn(c, "handle")}`;
    const ending = () => memberEnding(sources, { team: paramIn(c, "handle"), user });
    return changeOf(sources, c, { path, change: removedMember(user), subject, ending });
  });
}

async function teamsPage(
  { teams }: PeopleSources,
  administrator: Administrator,
  typed: TypedTexts = {},
): Promise<Response> {
  const all = await teams.list();
  const counted = all.map(async (team) => {
    const { length: members } = await teams.members(team.id);
    return { team, members };
  });
  return teamsPageResponse(administrator, await Promise.all(counted), typed);
}

async function teamPage(
  { teams }: PeopleSources,
  administrator: Administrator,
  team: Team,
  typed: Parameters<typeof teamPageResponse>[2] = {},
): Promise<Response> {
  const members = await teams.members(team.id);
  return teamPageResponse(administrator, { team, members }, typed);
}

async function addedTeam(
  sources: PeopleSources,
  administrator: Administrator,
  { values, isExpired }: SentForm,
): Promise<Response> {
  const { address, caller } = administrator;
  const refused = (...problems: readonly FieldProblem[]) =>
    teamsPage(sources, administrator, { values, problems });
  if (isExpired) return refused(EXPIRED);
  const handle = textIn(values, "handle");
  const texts = { handle, name: textIn(values, "name"), group: textIn(values, "group") };
  const { groupProblem, rules } = sources;
  const making = { now: rules.now(), by: caller, groupProblem };
  const outcome = await addTeam(sources.teams, texts, making);
  if (outcome.status !== "added") return refused(...outcome.problems);
  return afterChange(address, teamPath(handle), "added");
}

type Change = (
  sources: PeopleSources,
  administrator: Administrator,
  change: { readonly team: Team; readonly values: FormValues },
) => Promise<Response>;

type TeamForm = {
  readonly path: string;
  readonly change: Change;
  readonly subject: PeopleForm["subject"];
  readonly ending?: PeopleForm["ending"];
  /** The form that shows the typed texts again. */
  readonly part?: "change" | "member";
};

function formOf(
  c: Context,
  action: "change" | "members",
): Pick<TeamForm, "path" | "part" | "subject"> {
  const handle = paramIn(c, "handle");
  const path = teamPath(handle, action);
  if (action === "change") {
    const subject = (values: URLSearchParams) => {
      const group = wordsIn(values, "group");
      return `change the team ${handle}, with ${group === "" ? "no group" : `the group ${group}`}`;
    };
    return { path, part: "change", subject };
  }
  const subject = (values: URLSearchParams) =>
    `add ${wordsIn(values, "user")} to the team ${handle} as ${wordsIn(values, "level")}`;
  return { path, part: "member", subject };
}

function changeOf(
  sources: PeopleSources,
  c: Context,
  { path, change, part, subject, ending }: TeamForm,
): Promise<Response> {
  const handle = paramIn(c, "handle");
  const page = teamPath(handle);
  return peopleForm(sources, { c, path, page, subject, ending }, async (administrator, form) => {
    const { values, isExpired } = form;
    const team = await sources.teams.find(handle);
    if (!team) return unknownTeam(administrator);
    if (isExpired) {
      const problems = [EXPIRED];
      const typed = part ? { [part]: { values, problems } } : { change: { problems } };
      return teamPage(sources, administrator, team, typed);
    }
    return change(sources, administrator, { team, values });
  });
}

const changedTeam: Change = async (sources, administrator, { team, values }) => {
  const displayName = textIn(values, "name");
  const group = textIn(values, "group");
  const missing = displayName === "" ? [{ name: "name", words: "is required" }] : [];
  const wrong = teamProblems({ name: displayName, group }, sources.groupProblem);
  const problems = [...missing, ...wrong];
  if (problems.length > 0) {
    return teamPage(sources, administrator, team, { change: { values, problems } });
  }
  const groupRef = group === "" ? undefined : group;
  await sources.teams.change(team.id, { displayName, groupRef }, administrator.caller);
  return afterChange(administrator.address, teamPath(team.handle), "changed");
};

const addedMember: Change = async (sources, administrator, { team, values }) => {
  const level = TEAM_LEVELS.find((known) => known === values.get("level"));
  const person = await sources.people.find(textIn(values, "user"));
  const problems = [
    ...(person ? [] : [{ name: "user", words: "is the handle of no user" }]),
    ...(level ? [] : [{ name: "level", words: "has no such choice" }]),
  ];
  if (!person || !level) {
    return teamPage(sources, administrator, team, { member: { values, problems } });
  }
  const { caller } = administrator;
  if ((await sources.teams.setMember(team.id, { userId: person.id, level }, caller)) === "full") {
    const most = TEAM_MEMBERS_MAX.toLocaleString("en");
    const full = { name: "user", words: `would be more than ${most} members, the most of a team` };
    return teamPage(sources, administrator, team, { member: { values, problems: [full] } });
  }
  return afterChange(administrator.address, teamPath(team.handle), "member");
};

function removedMember(user: string): Change {
  return async (sources, administrator, { team }) => {
    const person = await sources.people.find(user);
    if (person) await sources.teams.removeMember(team.id, person.id, administrator.caller);
    return afterChange(administrator.address, teamPath(team.handle), "removed");
  };
}

function textIn(values: FormValues, name: string): string {
  return values.get(name)?.trim() ?? "";
}

function paramIn(c: Context, name: string): string {
  return c.req.param(name) ?? "";
}

function unknownTeam(administrator: Administrator): Promise<Response> {
  const page = { title: "Team not found", section: TEAMS, all: "List all teams" } as const;
  return unknownPage(administrator, page);
}
