import { html } from "hono/html";
import { sessionPage } from "../page/session-page.ts";
import { formatRelativeTime } from "../elements/relative-time.ts";
import type { Shown } from "../page/shown-page.ts";

/** A change that ends something, as the page that asks first states it. */
export type Ending = {
  /** A question, such as `Remove the source npmjs?`. */
  readonly title: string;
  /** Sentences about what ends and what stays, with counts. */
  readonly ends: readonly string[];
  /** Text of the button, such as `Remove the source`. */
  readonly button: string;
  /** A name that the person types first. */
  readonly typed?: string;
};

/** Field of a form whose sender has seen what ends. */
export const SURE_FIELD = "sure";
const SURE = "yes";
const TYPED_FIELD = "typed-name";

/**
 * Renders the page that asks before something ends. Undefined when the form comes from that page.
 * `values`: the fields of the form, which the page sends again.
 */
export async function askFirst(
  shown: Shown,
  ending: Ending | undefined,
  { values, backPath }: { readonly values: URLSearchParams; readonly backPath: string },
): Promise<Response | undefined> {
  if (!ending) return undefined;
  const { title, ends, button, typed } = ending;
  const isTyped = typed === undefined || values.get(TYPED_FIELD)?.trim() === typed;
  if (isTyped && values.get(SURE_FIELD) === SURE) return undefined;
  const { address, from } = shown;
  const { pathname } = new URL(from.request.url);
  const fields = [...values].filter(([name]) => name !== SURE_FIELD && name !== TYPED_FIELD);
  const body = html`<form class="card" method="post" action="${address.root}${pathname}">
    <ul>
      ${ends.map((sentence) => html`<li class="said">${sentence}</li>`)}
    </ul>
    ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <input type="hidden" name="${SURE_FIELD}" value="${SURE}" />
    ${
      typed !== undefined &&
      html`<p>
        <label for="${TYPED_FIELD}">Type <strong>${typed}</strong> to confirm</label>
        <input id="${TYPED_FIELD}" name="${TYPED_FIELD}" required autocomplete="off" />
      </p>`
    }
    <p class="buttons">
      <button type="submit" class="bad">${button}</button>
      <a href="${address.root}${backPath}">Cancel</a>
    </p>
  </form>`;
  return sessionPage(shown, { title, body });
}

/** Renders when something was last used: `Last used 3 days ago.` */
export function lastUse(usedAt: Date | undefined, now: Date): string {
  return usedAt ? `Last used ${formatRelativeTime(usedAt, now)}.` : "Never used.";
}
