import {
  addTeam,
  DISPLAY_NAME_MAX,
  TEAM_LEVELS,
  TEAM_MEMBERS_MAX,
  teamProblems,
} from "@sealhouse/identity";
import type { Team, TeamChange } from "@sealhouse/identity";
import { z } from "zod";
import type { Asked } from "../action.ts";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import type { AdministrationRows } from "../parts.ts";
import { absent, conflict } from "../refusal.ts";
import { refusedText, requireTeam, requireUser } from "../require-people.ts";

const TEAM = z
  .strictObject({
    id: z.uuid(),
    handle: z.string(),
    displayName: z.string(),
    groupRef: z.string().optional().describe("The group whose members belong to the team."),
    createdAt: z.iso.datetime(),
    members: z.array(
      z.strictObject({
        handle: z.string(),
        level: z.enum(TEAM_LEVELS),
        source: z.enum(["group", "hand"]).describe("Who decides about the member."),
      }),
    ),
  })
  .meta({ id: "Team", title: "Users that own names together" });

/** A team as the API and commands show it. */
export type ShownTeam = z.output<typeof TEAM>;

const SCOPE = "people:write";
const FORM = { page: "/administration/teams" } as const;
const HANDLE = field(z.string().min(1).max(64), "Team", "The handle of the team.");
const USER = field(z.string().min(1).max(64), "User", "The handle of the user.");
const NAME = z.string().max(DISPLAY_NAME_MAX);
const GROUP_HELP =
  "A group of the identity provider whose members belong to the team: the object id of a group " +
  "of Entra ID, or the slug of a team of GitHub.";
const group = (option?: string) =>
  field(
    z.string().max(255).optional(),
    "Group of the provider",
    GROUP_HELP,
    option ? { option } : {},
  );

const add = defineAction({
  id: "teams.add",
  summary: "add a team",
  scope: SCOPE,
  method: "POST",
  path: "/teams",
  command: "team add <handle>",
  form: FORM,
  input: z.strictObject({
    handle: field(
      z.string().max(64),
      "Handle",
      "Lower-case letters, digits and dashes. It never changes.",
    ),
    name: field(NAME.optional(), "Name", "The displayed name. Default: the handle.", {
      option: "--name <name>",
    }),
    group: group("--group <id>"),
  }),
  output: TEAM,
  refusals: ["exists"],
  lasting: "change-users",
  async run({ input, parts, caller, now }) {
    const rows = await parts.rows();
    const making = { now, by: caller, groupProblem: parts.groupProblem };
    const outcome = await addTeam(rows.teams, input, making);
    if (outcome.status === "added") return shownTeam(rows, outcome.added);
    throw refusedText(outcome.status, outcome.problems, input);
  },
});

const list = defineAction({
  id: "teams.list",
  summary: "list teams with their members",
  scope: SCOPE,
  method: "GET",
  path: "/teams",
  command: "team list",
  form: FORM,
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(TEAM),
  refusals: [],
  async run({ input, parts }) {
    const rows = await parts.rows();
    const page = pageOf(await rows.teams.list(), input, ({ handle }) => handle);
    return { ...page, items: await Promise.all(page.items.map((team) => shownTeam(rows, team))) };
  },
});

const show = defineAction({
  id: "teams.show",
  summary: "show a team with its members",
  scope: SCOPE,
  method: "GET",
  path: "/teams/{handle}",
  command: "team show <handle>",
  form: FORM,
  input: z.strictObject({ handle: HANDLE }),
  output: TEAM,
  refusals: ["absent"],
  async run({ input, parts }) {
    const rows = await parts.rows();
    return shownTeam(rows, await requireTeam(rows, input.handle));
  },
});

const rename = defineAction({
  id: "teams.rename",
  summary: "change the displayed name of a team",
  scope: SCOPE,
  method: "PUT",
  path: "/teams/{handle}/name",
  command: "team rename <handle> <name>",
  form: FORM,
  input: z.strictObject({
    handle: HANDLE,
    name: field(NAME.min(1), "Name", "The displayed name."),
  }),
  output: TEAM,
  refusals: ["absent"],
  lasting: "change-users",
  changes: "teams.show",
  run: ({ input: { handle, name }, ...asked }) =>
    changed(asked, { handle, name, change: { displayName: name } }),
});

const setGroup = defineAction({
  id: "teams.set-group",
  summary: "change the group whose members belong to a team; without a group, none",
  scope: SCOPE,
  method: "PUT",
  path: "/teams/{handle}/group",
  command: "team group <handle> [group]",
  form: FORM,
  input: z.strictObject({ handle: HANDLE, group: group() }),
  output: TEAM,
  refusals: ["absent"],
  lasting: "change-users",
  changes: "teams.show",
  run: ({ input: { handle, group: id }, ...asked }) =>
    changed(asked, { handle, group: id, change: { groupRef: id } }),
});

const MEMBER = z.strictObject({
  team: z.string(),
  user: z.string(),
  level: z.enum(TEAM_LEVELS),
});
/** A member as the API and commands show it. */
export type ShownMember = z.output<typeof MEMBER>;

const setMember = defineAction({
  id: "teams.set-member",
  summary: "add a member, or change its level",
  scope: SCOPE,
  method: "PUT",
  path: "/teams/{handle}/members/{user}",
  command: "team member add <handle> <user>",
  form: FORM,
  input: z.strictObject({
    handle: HANDLE,
    user: USER,
    level: field(
      z.enum(TEAM_LEVELS).default("member"),
      "Level",
      "A member publishes; a manager changes owners, too.",
      { option: "--level <level>" },
    ),
  }),
  output: MEMBER,
  refusals: ["absent", "conflict"],
  lasting: "change-users",
  changes: "teams.show",
  async run({ input: { handle, user, level }, parts, caller }) {
    const rows = await parts.rows();
    const team = await requireTeam(rows, handle);
    const person = await requireUser(rows, user);
    const outcome = await rows.teams.setMember(team.id, { userId: person.id, level }, caller);
    if (outcome === "full") {
      const most = TEAM_MEMBERS_MAX.toLocaleString("en");
      throw conflict(`The team ${team.handle} has ${most} members, the most for one team.`);
    }
    return { team: team.handle, user: person.handle, level };
  },
});

const removeMember = defineAction({
  id: "teams.remove-member",
  summary: "remove a member",
  scope: SCOPE,
  method: "DELETE",
  path: "/teams/{handle}/members/{user}",
  command: "team member remove <handle> <user>",
  form: FORM,
  input: z.strictObject({ handle: HANDLE, user: USER }),
  output: MEMBER.omit({ level: true }),
  refusals: ["absent"],
  lasting: "change-users",
  changes: "teams.show",
  async run({ input: { handle, user }, parts, caller }) {
    const rows = await parts.rows();
    const team = await requireTeam(rows, handle);
    const person = await requireUser(rows, user);
    const outcome = await rows.teams.removeMember(team.id, person.id, caller);
    if (outcome === "absent") {
      throw absent(`${person.handle} is not a member of the team ${team.handle}.`);
    }
    return { team: team.handle, user: person.handle };
  },
});

/** Teams. */
export const TEAM_ACTIONS = [add, list, show, rename, setGroup, setMember, removeMember];

/** @throws RefusedActionError */
async function changed(
  { parts, caller }: Pick<Asked<unknown>, "parts" | "caller">,
  {
    handle,
    change,
    ...texts
  }: {
    readonly handle: string;
    readonly name?: string;
    readonly group?: string | undefined;
    readonly change: TeamChange;
  },
): Promise<ShownTeam> {
  const { name = "", group: id = "" } = texts;
  const problems = teamProblems({ name, group: id }, parts.groupProblem);
  if (problems.length > 0) throw refusedText("invalid", problems, texts);
  const rows = await parts.rows();
  const { id: teamId } = await requireTeam(rows, handle);
  await rows.teams.change(teamId, change, caller);
  return shownTeam(rows, await requireTeam(rows, teamId));
}

async function shownTeam(
  { teams }: AdministrationRows,
  { createdAt, ...team }: Team,
): Promise<ShownTeam> {
  const members = (await teams.members(team.id)).map(({ handle, level, source }) => ({
    handle,
    level,
    source,
  }));
  return { ...team, createdAt: createdAt.toISOString(), members };
}
