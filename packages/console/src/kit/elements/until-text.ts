import { html } from "hono/html";
import { badge } from "./badges.ts";
import { formatRelativeTime } from "./relative-time.ts";
import type { Html } from "../page/document.ts";

const DAY_MS = 24 * 60 * 60_000;
const SOON_DAYS = 30;

/** When something expires, in days; a badge when that is soon, or over. */
export function untilText(time: Date, now: Date): Html {
  const days = Math.floor((time.getTime() - now.getTime()) / DAY_MS);
  const words =
    time <= now
      ? badge(`Expired ${formatRelativeTime(time, now)}`, "bad")
      : days <= SOON_DAYS
        ? badge(days === 0 ? "Today" : days === 1 ? "In 1 day" : `In ${days} days`, "warn")
        : html`In ${days} days`;
  return html`<time datetime="${time.toISOString()}" title="${time.toISOString()}">${words}</time>`;
}
