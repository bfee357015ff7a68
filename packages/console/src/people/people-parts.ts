import type { Role, ServiceAccountState, UserState } from "@sealhouse/identity";
import { html } from "hono/html";
import { administrationPage } from "../administration/administration-page.ts";
import type { AdministrationPage } from "../administration/administration-page.ts";
import type { Administrator } from "../administration/administrator.ts";
import { timeAgo } from "../kit/elements/tables.ts";
import { badge } from "../kit/elements/badges.ts";
import type { Html } from "../kit/page/document.ts";
import type { Choice } from "../kit/forms/form-fields.ts";

export const ROLE_CHOICES: readonly Choice[] = [
  { value: "consumer", text: "Consumer: reads" },
  { value: "publisher", text: "Publisher: publishes, too" },
  { value: "administrator", text: "Administrator: may do everything" },
];

const STATES = {
  pending: ["Waits for approval", "warn"],
  active: ["Active", "calm"],
  suspended: ["Suspended", "warn"],
  blocked: ["Blocked", "bad"],
} as const satisfies Readonly<Record<UserState, readonly [string, "calm" | "warn" | "bad"]>>;

/** Renders the state of a user or service account. The text is enough without the colour. */
export function stateBadge(state: UserState | ServiceAccountState): Html {
  const [text, tone] = STATES[state];
  return badge(text, tone);
}

export function roleBadge(role: Role): Html {
  return badge(role, "kind");
}

export function timeOrNever(time: Date | undefined, now: Date): Html | string {
  return time ? timeAgo(time, now) : "Never";
}

/** Renders a page about something that does not exist. */
export function unknownPage(
  administrator: Administrator,
  { title, section, all }: Pick<AdministrationPage, "title" | "section"> & { readonly all: string },
): Promise<Response> {
  const path = `${administrator.address.root}${section ?? ""}`;
  const body = html`<p>Nothing has this name. <a href="${path}">${all}</a></p>`;
  return administrationPage(administrator, { title, ...(section && { section }), body }, 404);
}
