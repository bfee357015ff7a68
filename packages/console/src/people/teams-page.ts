import { TEAM_LEVELS } from "@sealhouse/identity";
import type { Team, TeamMember } from "@sealhouse/identity";
import { html } from "hono/html";
import { administrationPage, teamPath, TEAMS } from "../administration/administration-page.ts";
import { buttonForm, formField, problemList } from "../kit/forms/form-fields.ts";
import { noticeIn } from "../kit/forms/notices.ts";
import type { Administrator } from "../administration/administrator.ts";
import { table } from "../kit/elements/tables.ts";
import { countOf } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import type { FieldProblem, FormField, FormValues } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { userPath } from "./users-page.ts";

const NOTICES = {
  added: "The team was added. It has no members yet.",
  changed: "The team was changed.",
  member: "The member was set.",
  removed: "The member was removed.",
};

const NAME_FIELD: FormField = { name: "name", label: "Name", kind: "text", lengthMax: 200 };
const GROUP_FIELD: FormField = {
  name: "group",
  label: "Group of the provider",
  kind: "text",
  lengthMax: 255,
  help: "The object id of a group of Entra ID, or the slug of a team of GitHub. Empty: no group.",
};

export const NEW_TEAM_FIELDS: readonly FormField[] = [
  {
    name: "handle",
    label: "Handle",
    kind: "text",
    isRequired: true,
    lengthMax: 39,
    help: "Lower-case letters, digits and dashes. It never changes.",
  },
  { ...NAME_FIELD, help: "Empty: the handle." },
  GROUP_FIELD,
];
export const TEAM_FIELDS: readonly FormField[] = [{ ...NAME_FIELD, isRequired: true }, GROUP_FIELD];
export const MEMBER_FIELDS: readonly FormField[] = [
  {
    name: "user",
    label: "User",
    kind: "text",
    isRequired: true,
    lengthMax: 39,
    help: "The handle. A member gets the new level.",
  },
  {
    name: "level",
    label: "Level",
    kind: { choices: TEAM_LEVELS.map((level) => ({ value: level, text: level })) },
    help: "A member publishes; a manager changes owners, too.",
  },
];

/** Texts that were typed, and what is wrong with them. */
export type TypedTexts = {
  readonly values?: FormValues;
  readonly problems?: readonly FieldProblem[];
};

/** A team with the number of its members. */
export type CountedTeam = { readonly team: Team; readonly members: number };

/** Renders `GET /administration/teams`. */
export function teamsPageResponse(
  administrator: Administrator,
  teams: readonly CountedTeam[],
  { values = new URLSearchParams(), problems = [] }: TypedTexts = {},
): Promise<Response> {
  const { address } = administrator;
  const rows = teams.map(
    ({ team: { handle, displayName, groupRef }, members }) =>
      html`<tr>
        <th scope="row"><a href="${address.root}${teamPath(handle)}">${handle}</a></th>
        <td>${displayName}</td>
        <td>${groupRef ?? "None"}</td>
        <td>${members}</td>
      </tr>`,
  );
  const heads = ["Team", "Name", "Group", "Members"].map((text) => ({ text }));
  const body = html`${problems.length > 0 && problemList(problems, NEW_TEAM_FIELDS)}
    <section class="card" aria-labelledby="teams">
      <h2 id="teams">${countOf(rows.length, "team")}</h2>
      ${rows.length > 0 && table("Teams", heads, rows)}
    </section>
    ${fieldsForm(administrator, {
      path: TEAMS,
      title: "Add a team",
      fields: NEW_TEAM_FIELDS,
      values,
      problems,
    })}`;
  const page = { title: "Teams", section: TEAMS, body } as const;
  return administrationPage(administrator, page, problems.length > 0 ? 422 : 200);
}

/** A team with its members. */
export type ShownTeam = { readonly team: Team; readonly members: readonly TeamMember[] };

/** Renders `GET /administration/teams/{handle}`. A form keeps the texts that were typed in it. */
export function teamPageResponse(
  administrator: Administrator,
  { team, members }: ShownTeam,
  typed: { readonly change?: TypedTexts; readonly member?: TypedTexts } = {},
): Promise<Response> {
  const { from } = administrator;
  const { handle, displayName, groupRef = "" } = team;
  const stored = new URLSearchParams({ name: displayName, group: groupRef });
  const problems = [...(typed.change?.problems ?? []), ...(typed.member?.problems ?? [])];
  const body = html`${noticeIn(from.request, NOTICES)}
  ${problems.length > 0 && problemList(problems, [...TEAM_FIELDS, ...MEMBER_FIELDS])}
  ${membersCard(administrator, { team, members })}
  ${fieldsForm(administrator, {
    path: teamPath(handle, "members"),
    title: "Add a member",
    fields: MEMBER_FIELDS,
    ...typed.member,
  })}
  ${fieldsForm(administrator, {
    path: teamPath(handle, "change"),
    title: "Change the team",
    fields: TEAM_FIELDS,
    values: stored,
    ...typed.change,
  })}`;
  const audit = { subject: `team/${handle}` };
  const page = { title: `${displayName} (${handle})`, section: TEAMS, body, audit } as const;
  return administrationPage(administrator, page, problems.length > 0 ? 422 : 200);
}

function membersCard(administrator: Administrator, { team, members }: ShownTeam): Html {
  const { address, proofFor } = administrator;
  const rows = members.map(({ handle, displayName, level, source }) => {
    const path = removalPath(team.handle, handle);
    const remove = buttonForm({
      action: address.root + path,
      proof: proofFor(path),
      text: "Remove",
      about: handle,
    });
    return html`<tr>
      <th scope="row"><a href="${address.root}${userPath(handle)}">${handle}</a></th>
      <td>${displayName}</td>
      <td>${level}</td>
      <td>${source === "hand" ? "by hand" : "by the group"}</td>
      <td>${remove}</td>
    </tr>`;
  });
  const heads = ["User", "Name", "Level", "Member", "Change"].map((text) => ({ text }));
  return html`<section class="card" aria-labelledby="members">
    <h2 id="members">${countOf(rows.length, "member")}</h2>
    ${rows.length > 0 && table("Members", heads, rows)}
  </section>`;
}

/** Path of the form that removes a member, without the path of the registry. */
export function removalPath(team: string, user: string): string {
  return `${teamPath(team, "members")}/${encodeURIComponent(user)}/remove`;
}

type FieldsForm = TypedTexts & {
  readonly path: string;
  readonly title: string;
  readonly fields: readonly FormField[];
};

/** Renders a card with a form, whose button has the text of its title. */
export function fieldsForm({ address, proofFor }: Administrator, form: FieldsForm): Html {
  const { path, title, fields, values = new URLSearchParams(), problems = [] } = form;
  return html`<form class="card" method="post" action="${address.root}${path}" autocomplete="off">
    <h2>${title}</h2>
    <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(path)}" />
    <div class="form two">${fields.map((field) => formField(field, values, problems))}</div>
    <p class="buttons"><button type="submit">${title}</button></p>
  </form>`;
}
