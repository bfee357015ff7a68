import { createHash } from "node:crypto";
import type { Ending } from "@sealhouse/administration";
import { html } from "hono/html";
import { sessionPage } from "../page/session-page.ts";
import { formatRelativeTime } from "../elements/relative-time.ts";
import type { Shown } from "../page/shown-page.ts";
import type { LastingRequest } from "./confirmed-forms.ts";
import { noticeOf } from "./notices.ts";

export type { Ending };

/** Field of a form whose sender has seen what ends: the digest of what the page showed. */
export const SURE_FIELD = "sure";
const TYPED_FIELD = "typed-name";

/**
 * Renders the page that asks before something ends. Undefined when the form comes from that page,
 * and what ends is still what it showed. `values`: the fields of the form, which the page sends
 * again; secrets are typed again.
 */
export async function askFirst(
  shown: Shown,
  ending: Ending | undefined,
  { values, backPath, secrets = [] }: Pick<LastingRequest, "values" | "backPath" | "secrets">,
): Promise<Response | undefined> {
  if (!ending) return undefined;
  const { title, ends, remarks = [], button, typed } = ending;
  const seen = createHash("sha256")
    .update(JSON.stringify([title, ends]))
    .digest("base64url");
  const sure = values.get(SURE_FIELD) ?? "";
  const isTyped = typed === undefined || values.get(TYPED_FIELD)?.trim() === typed;
  if (isTyped && sure === seen) return undefined;
  const { address, from } = shown;
  const { pathname } = new URL(from.request.url);
  const others = new Set([SURE_FIELD, TYPED_FIELD, ...secrets.map(({ name }) => name)]);
  const fields = [...values].filter(([name]) => !others.has(name));
  const given = secrets.filter(({ name }) => (values.get(name) ?? "") !== "");
  const isChanged = /^[\w-]{43}$/.test(sure) && sure !== seen;
  const body = html`${isChanged && noticeOf("It changed while you read it. Nothing ended yet.")}
    <form class="card" method="post" action="${address.root}${pathname}">
      <ul>
        ${[...ends, ...remarks].map((sentence) => html`<li class="said">${sentence}</li>`)}
      </ul>
      ${fields.map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <input type="hidden" name="${SURE_FIELD}" value="${seen}" />
      ${
        typed !== undefined &&
        html`<p>
          <label for="${TYPED_FIELD}">Type <strong>${typed}</strong> to confirm</label>
          <input id="${TYPED_FIELD}" name="${TYPED_FIELD}" required autocomplete="off" />
        </p>`
      }
      ${given.map(
        ({ name, label }) =>
          html`<p>
            <label for="${name}">${label}, once more</label>
            <input id="${name}" name="${name}" type="password" required autocomplete="off" />
          </p>`,
      )}
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
