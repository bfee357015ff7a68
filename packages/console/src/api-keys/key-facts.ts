import type { ShownToken } from "@sealhouse/administration";
import { html } from "hono/html";
import { badge } from "../kit/elements/badges.ts";
import { timeAgo } from "../kit/elements/tables.ts";
import { untilText } from "../kit/elements/until-text.ts";
import type { Html } from "../kit/page/document.ts";

type Cell = Html | string;

/** Holder, scopes, limits, last use, expiry and state of a key, in this order. */
export function keyCells(token: ShownToken, now: Date): readonly Cell[] {
  const { holder = "The operators", scopes } = token;
  return [
    html`<span class="said">${holder}</span>`,
    scopes.join(", "),
    limitsText(token),
    lastUseOf(token, now),
    expiryOf(token, now),
    stateOf(token),
  ];
}

/** The limits of a key in words. */
export function limitsText({ protocols, patterns, networks }: ShownToken): string {
  const texts = [
    ...(protocols.length > 0 ? [`protocols ${protocols.join(", ")}`] : []),
    ...(patterns.length > 0 ? [`names ${shortened(patterns)}`] : []),
    ...(networks.length > 0 ? [`networks ${shortened(networks)}`] : []),
  ];
  return texts.length > 0 ? texts.join("; ") : "None";
}

const LIMITS_SHOWN = 10;

function shortened(texts: readonly string[]): string {
  const hidden = texts.length - LIMITS_SHOWN;
  const shown = texts.slice(0, LIMITS_SHOWN).join(", ");
  return hidden > 0 ? `${shown} and ${hidden} more` : shown;
}

/** When and from where a key was last used. */
export function lastUseOf({ lastUsedAt, lastUsedFrom }: ShownToken, now: Date): Cell {
  if (lastUsedAt === undefined) return "Never";
  const from = lastUsedFrom !== undefined && html`from <code>${lastUsedFrom}</code>`;
  return html`${timeAgo(new Date(lastUsedAt), now)} ${from}`;
}

export function expiryOf({ expiresAt, state }: ShownToken, now: Date): Cell {
  if (expiresAt === undefined) return "Never";
  return state === "revoked" ? expiresAt.slice(0, 10) : untilText(new Date(expiresAt), now);
}

const STATES = {
  active: ["Active", "calm"],
  expired: ["Expired", "warn"],
  revoked: ["Revoked", "bad"],
} as const;

export function stateOf({ state, leakedAt }: ShownToken): Html {
  const [text, tone] = STATES[state];
  return html`${badge(text, tone)} ${leakedAt !== undefined && badge("Reported as leaked", "bad")}`;
}
