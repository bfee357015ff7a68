import { scopesWithin } from "@sealhouse/identity";
import type {
  OwnableName,
  Person,
  ProviderAccount,
  SessionRecord,
  TokenRecord,
  UserTeam,
} from "@sealhouse/identity";
import { html } from "hono/html";
import { administrationPage, teamPath, USERS } from "../administration/administration-page.ts";
import { buttonForm, formField, problemList } from "../kit/forms/form-fields.ts";
import { noticeIn } from "../kit/forms/notices.ts";
import type { Administrator } from "../administration/administrator.ts";
import { table, timeAgo } from "../kit/elements/tables.ts";
import { countOf } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import { auditPath } from "../kit/page/page-paths.ts";
import type { FieldProblem, FormField } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { tokenTable } from "../tokens/token-parts.ts";
import { ROLE_CHOICES, roleBadge, stateBadge, timeOrNever } from "./people-parts.ts";
import { userPath } from "./users-page.ts";

const NAMES_SHOWN_MAX = 200;

const NOTICES = {
  "role-set": "The role was set by hand. Groups of the provider no longer decide about it.",
  "role-by-groups": "Groups of the provider decide from the next sign-in or check on.",
  approved: "The user is approved.",
  blocked: "The user is blocked: sessions have ended, and tokens do not work.",
  unblocked: "The user is no longer blocked.",
  "sessions-ended": "All sessions of the user have ended.",
};

const ROLE_FIELD: FormField = { name: "role", label: "Role", kind: { choices: ROLE_CHOICES } };
const BY_GROUPS = { value: "group", text: "Groups of the provider decide" };
const REASON_FIELD: FormField = {
  name: "reason",
  label: "Reason",
  kind: "text",
  lengthMax: 500,
  help: "Administrators read it on this page and in the audit log.",
};

/** Everything that the page of a user shows. */
export type UserContents = {
  readonly person: Person;
  readonly accounts: readonly ProviderAccount[];
  readonly teams: readonly UserTeam[];
  readonly tokens: readonly TokenRecord[];
  readonly names: readonly OwnableName[];
  readonly sessions: readonly SessionRecord[];
  readonly problems: readonly FieldProblem[];
};

/** Renders `GET /administration/users/{handle}`. */
export function userPageResponse(
  administrator: Administrator,
  contents: UserContents,
  status = 200,
): Promise<Response> {
  const { from } = administrator;
  const { person, problems } = contents;
  const body = html`${noticeIn(from.request, NOTICES)}
  ${problems.length > 0 && problemList(problems, [])} ${factsCard(administrator, contents)}
  ${roleForm(administrator, contents)} ${stateForms(administrator, person)}
  ${sessionsCard(administrator, contents)} ${teamsCard(administrator, contents)}
  ${tokensCard(administrator, contents)} ${namesCard(contents)}`;
  const title = `${person.displayName} (${person.handle})`;
  const audit = { subject: `user/${person.handle}` };
  return administrationPage(administrator, { title, section: USERS, body, audit }, status);
}

function factsCard({ site, address }: Administrator, { person, accounts }: UserContents): Html {
  const { role, roleSource, state, reason, email, createdAt, validatedAt, lastSignInAt } = person;
  const own = accounts.map(
    ({ shown, issuer }) => html`<div>${shown} at <code>${issuer}</code></div>`,
  );
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">User</h2>
    <p class="badges">${roleBadge(role)} ${stateBadge(state)}</p>
    <dl class="pairs spread">
      ${
        reason !== undefined &&
        html`<div class="wide">
          <dt>Reason of the state</dt>
          <dd class="said">${reason}</dd>
        </div>`
      }
      <div>
        <dt>Role</dt>
        <dd>${roleSource === "hand" ? "set by hand" : "by groups of the provider"}</dd>
      </div>
      <div>
        <dt>Last sign-in</dt>
        <dd>
          ${timeOrNever(lastSignInAt, site.now)},
          <a href="${address.root}${auditPath({ actor: person.handle })}">what this user did</a>
        </dd>
      </div>
      <div>
        <dt>Membership confirmed</dt>
        <dd>${timeOrNever(validatedAt, site.now)}</dd>
      </div>
      <div>
        <dt>Added</dt>
        <dd>${timeAgo(createdAt, site.now)}</dd>
      </div>
      <div>
        <dt>Email</dt>
        <dd>${email ?? "No usable address: this user gets no mail"}</dd>
      </div>
      <div class="wide">
        <dt>Accounts at the identity provider</dt>
        <dd>${own.length > 0 ? own : "None"}</dd>
      </div>
    </dl>
  </section>`;
}

function roleForm({ address, proofFor }: Administrator, { person, accounts }: UserContents): Html {
  const path = userPath(person.handle, "role");
  // Without an account no group can decide.
  const choices = accounts.length > 0 ? [...ROLE_CHOICES, BY_GROUPS] : ROLE_CHOICES;
  const isByGroups = person.roleSource === "group" && accounts.length > 0;
  const values = new URLSearchParams({ role: isByGroups ? "group" : person.role });
  return html`<form class="card" method="post" action="${address.root}${path}">
    <h2>Role</h2>
    <p>A lower role also limits the tokens of the user.</p>
    <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(path)}" />
    <div class="form two">${formField({ ...ROLE_FIELD, kind: { choices } }, values, [])}</div>
    <p class="buttons"><button type="submit">Set the role</button></p>
  </form>`;
}

function stateForms({ address, proofFor }: Administrator, { handle, state }: Person): Html {
  const button = (action: "approve" | "unblock", text: string) => {
    const path = userPath(handle, action);
    return buttonForm({ action: address.root + path, proof: proofFor(path), text });
  };
  if (state === "blocked") {
    return html`<section class="card" aria-labelledby="access">
      <h2 id="access">Access</h2>
      <p>The user has no access until the block ends.</p>
      <div class="buttons">${button("unblock", "End the block")}</div>
    </section>`;
  }
  const path = userPath(handle, "block");
  return html`<section class="card" aria-labelledby="access">
    <h2 id="access">Access</h2>
    ${
      state !== "active" &&
      html`<p>The user has no access before an approval.</p>
        <div class="buttons">${button("approve", "Approve")}</div>`
    }
    <form method="post" action="${address.root}${path}" autocomplete="off">
      <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(path)}" />
      <div class="form two">${formField(REASON_FIELD, new URLSearchParams(), [])}</div>
      <p class="buttons"><button type="submit" class="bad">Block the user</button></p>
    </form>
  </section>`;
}

function sessionsCard(
  { site, address, proofFor }: Administrator,
  { person, sessions }: UserContents,
): Html {
  const path = userPath(person.handle, "end-sessions");
  const end = buttonForm({
    action: address.root + path,
    proof: proofFor(path),
    text: "End all sessions",
  });
  const rows = sessions.map(
    ({ agent, address: network, createdAt, seenAt }) =>
      html`<tr>
        <td>${agent ?? "Unknown browser"}</td>
        <td><code>${network ?? "unknown"}</code></td>
        <td>${timeAgo(createdAt, site.now)}</td>
        <td>${timeAgo(seenAt, site.now)}</td>
      </tr>`,
  );
  const heads = ["Browser", "Address", "Signed in", "Last used"].map((text) => ({ text }));
  return html`<section class="card" aria-labelledby="sessions">
    <h2 id="sessions">${countOf(rows.length, "session")}</h2>
    ${rows.length > 0 && table("Sessions", heads, rows)}
    ${rows.length > 0 && html`<div class="buttons">${end}</div>`}
  </section>`;
}

function teamsCard({ address }: Administrator, { teams }: UserContents): Html {
  const rows = teams.map(
    ({ handle, displayName, level, source }) =>
      html`<tr>
        <th scope="row"><a href="${address.root}${teamPath(handle)}">${handle}</a></th>
        <td>${displayName}</td>
        <td>${level}</td>
        <td>${source === "hand" ? "by hand" : "by the group"}</td>
      </tr>`,
  );
  const heads = ["Team", "Name", "Level", "Member"].map((text) => ({ text }));
  return html`<section class="card" aria-labelledby="teams">
    <h2 id="teams">${countOf(rows.length, "team")}</h2>
    ${rows.length > 0 && table("Teams", heads, rows)}
  </section>`;
}

function tokensCard({ site, address }: Administrator, { person, tokens }: UserContents): Html {
  const isLimited = tokens.some(
    ({ scopes }) => scopesWithin(person.role, scopes).length < scopes.length,
  );
  return html`<section class="card" aria-labelledby="tokens">
    <h2 id="tokens">${countOf(tokens.length, "token")}</h2>
    ${isLimited && html`<p class="note">The role allows less than the scopes of some tokens.</p>`}
    ${tokens.length > 0 && tokenTable(tokens, { site, address })}
  </section>`;
}

function namesCard({ names }: UserContents): Html {
  const shown = names.slice(0, NAMES_SHOWN_MAX);
  const rows = shown.map(
    ({ protocol, name }) =>
      html`<tr>
        <td>${protocol}</td>
        <td>${name}</td>
      </tr>`,
  );
  return html`<section class="card" aria-labelledby="names">
    <h2 id="names">${countOf(names.length, "owned name")}</h2>
    ${rows.length > 0 && table("Owned names", [{ text: "Protocol" }, { text: "Name" }], rows)}
    ${
      shown.length < names.length &&
      html`<p class="soft">And ${names.length - shown.length} more.</p>`
    }
  </section>`;
}
