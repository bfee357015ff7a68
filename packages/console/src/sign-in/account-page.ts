import type { BrowserSession, PasskeyRecord, SessionRecord } from "@sealhouse/identity";
import { html } from "hono/html";
import { table } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { TOKENS } from "../kit/page/page-paths.ts";
import { passkeysCard } from "./passkeys-card.ts";
import { sessionPage } from "../kit/page/session-page.ts";
import { timeText } from "./time-text.ts";

export const ACCOUNT = "/account";
export const SIGN_OUT = "/sign-out";
export const SIGN_OUT_EVERYWHERE = "/account/sign-out-everywhere";

/** Contents of the page of the person who is signed in. */
export type AccountContents = {
  readonly session: BrowserSession;
  readonly all: readonly SessionRecord[];
  /** Undefined for a session of a token. */
  readonly passkeys: readonly PasskeyRecord[] | undefined;
  readonly proofFor: (path: string) => string;
};

/** Renders `GET /account`. */
export function accountPage(shown: Shown, contents: AccountContents): Promise<Response> {
  const { session } = contents;
  const { principal, user } = session;
  const lead = user
    ? `You are signed in as ${user.displayName} (${user.handle}), ${ROLES[user.role]}.`
    : `You are signed in with the token ${principal.name}${scopesIn(principal)}.`;
  const { passkeys, proofFor } = contents;
  const names = html`<p><a href="${shown.address.root}/account/names">Your names</a></p>`;
  const body = html`${user && names} ${user && tokensLink(shown)}
    ${passkeys && passkeysCard(shown, passkeys, proofFor)} ${sessionsCard(contents)}
    <div class="buttons">
      ${button(shown, contents, { path: SIGN_OUT, text: "Sign out", tone: "primary" })}
      ${user && button(shown, contents, EVERYWHERE)}
    </div>`;
  return sessionPage(shown, { title: "Your account", lead, body });
}

function tokensLink({ address }: Shown): Html {
  return html`<p><a href="${address.root}${TOKENS}">Your API tokens</a></p>`;
}

function scopesIn(principal: BrowserSession["principal"]): string {
  return "kind" in principal ? "" : ` (${principal.scopes.join(", ")})`;
}

const ROLES = {
  consumer: "who may read packages",
  publisher: "who may publish packages",
  administrator: "an administrator of this registry",
} as const;

const EVERYWHERE = {
  path: SIGN_OUT_EVERYWHERE,
  text: "Sign out everywhere",
  tone: "quiet",
} as const;

function button(
  { address }: Shown,
  { proofFor }: AccountContents,
  { path, text, tone }: { readonly path: string; readonly text: string; readonly tone: string },
): Html {
  return html`<form method="post" action="${address.root}${path}">
    <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(path)}" />
    <button type="submit" class="${tone}">${text}</button>
  </form>`;
}

function sessionsCard({ all, session }: AccountContents): Html {
  const rows = all.map(
    (row) =>
      html`<tr>
        <td>${row.agent ?? "Unknown browser"}${row.hash === session.hash && " (this one)"}</td>
        <td><code>${row.address ?? "unknown"}</code></td>
        <td>${timeText(row.createdAt)}</td>
        <td>${timeText(row.seenAt)}</td>
      </tr>`,
  );
  const heads = ["Browser", "Address", "Signed in", "Last used"].map((text) => ({ text }));
  return html`<section class="card" aria-labelledby="sessions">
    <h2 id="sessions">Sessions</h2>
    ${table("Sessions", heads, rows)}
  </section>`;
}
