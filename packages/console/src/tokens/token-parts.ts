import { TOKENS } from "../kit/page/page-paths.ts";
import type { TokenRecord } from "@sealhouse/identity";
import { html } from "hono/html";
import { table, timeAgo } from "../kit/elements/tables.ts";
import { badge } from "../kit/elements/badges.ts";
import type { Html } from "../kit/page/document.ts";
import type { Shown } from "../kit/page/shown-page.ts";

export const NEW_TOKEN = "/account/new-token";

/** Path of the page of an own token, or of a form on it, without the path of the registry. */
export function tokenPath(id: string, action?: "replace" | "revoke"): string {
  const path = `${TOKENS}/${encodeURIComponent(id)}`;
  return action === undefined ? path : `${path}/${action}`;
}

const HEADS = ["Name", "State", "Scopes", "Limits", "Expires", "Last used"];

/** Renders tokens without their values; with links to the pages of own tokens. */
export function tokenTable(
  tokens: readonly TokenRecord[],
  { site, address }: Pick<Shown, "site" | "address">,
  links: { readonly isLinked: boolean } = { isLinked: false },
): Html {
  const rows = tokens.map((token) => {
    const { id, name, scopes, lastUsedAt, lastUsedFrom } = token;
    const title = links.isLinked
      ? html`<a href="${address.root}${tokenPath(id)}">${name}</a>`
      : name;
    return html`<tr>
      <th scope="row">${title}</th>
      <td>${tokenState(token, site.now)}</td>
      <td>${scopes.join(", ")}</td>
      <td>${limitsOf(token)}</td>
      <td>${expiryOf(token)}</td>
      <td>
        ${lastUsedAt ? timeAgo(lastUsedAt, site.now) : "Never"}
        ${lastUsedFrom !== undefined && html`from <code>${lastUsedFrom}</code>`}
      </td>
    </tr>`;
  });
  return table(
    "Tokens",
    HEADS.map((text) => ({ text })),
    rows,
  );
}

/** Renders whether a token is valid, and whether it was reported. */
export function tokenState({ revokedAt, expiresAt, leakedAt }: TokenRecord, now: Date): Html {
  const isExpired = expiresAt !== undefined && expiresAt <= now;
  const state = revokedAt
    ? badge("Revoked", "bad")
    : isExpired
      ? badge("Expired", "warn")
      : badge("Active", "calm");
  return html`${state} ${leakedAt && badge("Reported as leaked", "bad")}`;
}

/** Renders protocols, names and networks; a token without limits has none. */
export function limitsOf({
  protocols,
  patterns,
  networks,
}: Pick<TokenRecord, "protocols" | "patterns" | "networks">): string {
  const texts = [
    ...(protocols.length > 0 ? [`protocols ${protocols.join(", ")}`] : []),
    ...(patterns.length > 0 ? [`names ${patterns.join(", ")}`] : []),
    ...(networks.length > 0 ? [`networks ${networks.join(", ")}`] : []),
  ];
  return texts.length > 0 ? texts.join("; ") : "None";
}

/** Renders the UTC time at which a token expires. */
export function expiryOf({ expiresAt }: TokenRecord): Html | string {
  if (!expiresAt) return "Never";
  const exact = expiresAt.toISOString();
  return html`<time datetime="${exact}">${exact.slice(0, 16).replace("T", " ")} UTC</time>`;
}
