import { USER_STATES, ROLES } from "@sealhouse/identity";
import type { Person, ProviderAccount } from "@sealhouse/identity";
import { html } from "hono/html";
import { administrationPage, USERS } from "../administration/administration-page.ts";
import type { Administrator } from "../administration/administrator.ts";
import { table } from "../kit/elements/tables.ts";
import { countOf } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import {
  resultsPager,
  searchField,
  selectField,
  TEXT_LENGTH_MAX,
} from "../kit/forms/search-fields.ts";
import { roleBadge, stateBadge, timeOrNever } from "./people-parts.ts";

/** Number of users on a page. */
const TAKE = 50;

/** The filters of the list; an empty text filters nothing. */
export type UserQuery = {
  readonly text: string;
  readonly role: string;
  readonly state: string;
  readonly skip: number;
};

export function userQueryOf(request: Request): UserQuery {
  const fields = new URL(request.url).searchParams;
  const skip = fields.get("skip") ?? "";
  return {
    text: (fields.get("q") ?? "").slice(0, TEXT_LENGTH_MAX).trim(),
    role: ROLES.find((role) => role === fields.get("role")) ?? "",
    state: USER_STATES.find((state) => state === fields.get("state")) ?? "",
    skip: /^\d{1,6}$/.test(skip) ? Number(skip) : 0,
  };
}

/** Returns the users of a page of the list, and how many there are. */
export function usersIn(
  people: readonly Person[],
  { text, role, state, skip }: UserQuery,
): { readonly shown: readonly Person[]; readonly total: number } {
  const word = text.toLowerCase();
  const isNamed = ({ handle, displayName, email = "" }: Person) =>
    [handle, displayName, email].some((name) => name.toLowerCase().includes(word));
  const found = people.filter(
    (person) =>
      (role === "" || person.role === role) &&
      (state === "" || person.state === state) &&
      isNamed(person),
  );
  return { shown: found.slice(skip, skip + TAKE), total: found.length };
}

export type ShownUsers = ReturnType<typeof usersIn> & {
  readonly query: UserQuery;
  readonly accounts: readonly ProviderAccount[];
};

/** Renders `GET /administration/users`. */
export function usersPageResponse(
  administrator: Administrator,
  { query, shown, total, accounts }: ShownUsers,
): Promise<Response> {
  const { address, site } = administrator;
  const { text, role, state, skip } = query;
  const rows = shown.map((person) => {
    const own = accounts.filter(({ userId }) => userId === person.id);
    return html`<tr>
      <th scope="row"><a href="${address.root}${userPath(person.handle)}">${person.handle}</a></th>
      <td>${person.displayName}</td>
      <td>${roleBadge(person.role)}</td>
      <td>${stateBadge(person.state)}</td>
      <td>${timeOrNever(person.lastSignInAt, site.now)}</td>
      <td>${own.map((account) => account.shown).join(", ") || "None"}</td>
    </tr>`;
  });
  const to = (wanted: number) =>
    `${address.root}${USERS}?${new URLSearchParams({
      q: text,
      role,
      state,
      skip: String(wanted),
    }).toString()}`;
  const heads = ["User", "Name", "Role", "State", "Last sign-in", "Account at the provider"];
  const body = html`${filters(administrator, query)}
    <section class="card" aria-labelledby="found">
      <h2 id="found">${countOf(total, "user")}</h2>
      ${
        rows.length > 0
          ? table(
              "Users",
              heads.map((head) => ({ text: head })),
              rows,
            )
          : html`<p class="soft">No user is like that.</p>`
      }
    </section>
    ${resultsPager({ skip, take: TAKE }, { hasMore: skip + TAKE < total, to })}`;
  return administrationPage(administrator, { title: "Users", section: USERS, body });
}

/** Path of the page of a user, or of a form on it, without the path of the registry. */
export function userPath(
  handle: string,
  action?: "role" | "approve" | "block" | "unblock" | "end-sessions",
): string {
  const path = `${USERS}/${encodeURIComponent(handle)}`;
  return action === undefined ? path : `${path}/${action}`;
}

function filters({ address }: Administrator, { text, role, state }: UserQuery): Html {
  const options = (all: string, values: readonly string[]) => [
    ["", all] as const,
    ...values.map((value) => [value, value] as const),
  ];
  return html`<form class="card search" action="${address.root}${USERS}" role="search">
    ${searchField({
      label: "Search users",
      value: text,
      lengthMax: TEXT_LENGTH_MAX,
      help: html`A part of the handle, the name or the email address`,
    })}
    <div class="filters">
      ${selectField({
        name: "role",
        label: "Role",
        options: options("All roles", ROLES),
        chosen: role,
      })}
      ${selectField({
        name: "state",
        label: "State",
        options: options("All states", USER_STATES),
        chosen: state,
      })}
    </div>
  </form>`;
}
