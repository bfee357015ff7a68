import type { ListedSource, SourceDescription } from "@sealhouse/upstream-sources";
import { formatTimeSpan } from "@sealhouse/settings";
import { html } from "hono/html";
import { badge } from "../kit/elements/badges.ts";
import type { Html } from "../kit/page/document.ts";
import { table, timeAgo } from "../kit/elements/tables.ts";
import { clipped } from "../kit/elements/format.ts";

export const PROTOCOL_NAMES = { nuget: "NuGet", npm: "npm", oci: "Images" } as const;

const ERROR_LENGTH_MAX = 400;
const PATTERNS_SHOWN_MAX = 20;

const STATES: Readonly<
  Record<SourceDescription["status"], readonly [string, "calm" | "warn" | "bad" | "kind"]>
> = {
  works: ["Works", "kind"],
  unused: ["Not called yet", "calm"],
  disabled: ["Disabled", "calm"],
  replaced: ["Not in use", "calm"],
  failing: ["Failing", "bad"],
  paused: ["Paused", "warn"],
};

export function sourceBadges({ source, description }: ListedSource): Html {
  const [text, tone] = STATES[description.status];
  return html`<p class="badges">
    ${badge(PROTOCOL_NAMES[source.protocol], "calm")} ${badge(text, tone)}
    ${badge(source.from === "database" ? "Database" : "Settings", "calm")}
  </p>`;
}

/** Renders the facts of a source, without secrets. Its errors are texts of other hosts. */
export function sourceFacts(listed: ListedSource, now: Date): Html {
  const { source, description } = listed;
  const { lastSuccessAt, lastErrorAt, lastError = "", pausedUntil } = description;
  const { allow, deny, minimumReleaseAgeMs: ageMs } = source.settings;
  const fact = (term: string, value: Html | string, isWide = false) =>
    html`<div class="${isWide ? "wide" : ""}">
      <dt>${term}</dt>
      <dd>${value}</dd>
    </div>`;
  const success = lastSuccessAt && timeAgo(new Date(lastSuccessAt), now);
  const error =
    lastErrorAt !== undefined &&
    html`${timeAgo(new Date(lastErrorAt), now)}: ${clipped(lastError, ERROR_LENGTH_MAX)}`;
  return html`<dl class="pairs spread">
    ${fact("URL", html`<code class="long">${source.url.href}</code>`, true)}
    ${fact("Priority", String(source.priority))} ${fact("Strategy", source.strategy)}
    ${source.type !== "upstream" && fact("Type", source.type)}
    ${source.surface !== undefined && fact("Segment", source.surface)}
    ${fact("Credentials", credentialsText(listed))}
    ${ageMs > 0 && fact("Minimum release age", formatTimeSpan(ageMs))}
    ${allow.length > 0 && fact("Only these names", patternsText(allow))}
    ${deny.length > 0 && fact("Never these names", patternsText(deny))}
    ${fact("Last success", success ?? "None")}
    ${pausedUntil !== undefined && fact("Paused until", timeOf(pausedUntil))}
    ${error && fact("Last error", error, true)}
    ${fact("Failures of the last hour", failuresText(description))}
  </dl>`;
}

/** Failures that are kept; a full list means that there were more. */
const FAILURES_MAX = 50;

function failuresText({ recentErrors: { length } }: SourceDescription): string {
  return length >= FAILURES_MAX ? `${FAILURES_MAX} or more` : String(length);
}

/** Renders the failures of the last hour, with what the source answered. */
export function errorsCard({ description }: ListedSource, now: Date): Html | false {
  const { recentErrors } = description;
  if (recentErrors.length === 0) return false;
  const rows = recentErrors.map(
    ({ at, words }) =>
      html`<tr>
        <td>${timeOf(at)}, ${timeAgo(new Date(at), now)}</td>
        <td class="said">${clipped(words, ERROR_LENGTH_MAX)}</td>
      </tr>`,
  );
  const heads = ["Time", "Answer"].map((text) => ({ text }));
  return html`<section class="card" aria-labelledby="errors">
    <h2 id="errors">Failures of the last hour</h2>
    ${table("Failures of the last hour", heads, rows)}
  </section>`;
}

const CREDENTIAL_NAMES: Readonly<Record<string, string>> = {
  none: "None",
  basic: "User name and password",
  bearer: "Bearer token",
  "api-key": "API key",
  headers: "Secret headers",
};

function credentialsText({ description, isUnreadable }: ListedSource): string {
  if (isUnreadable) return "Not readable: the key ring lacks their key";
  return CREDENTIAL_NAMES[description.credentials] ?? description.credentials;
}

function patternsText(patterns: readonly string[]): string {
  const hidden = patterns.length - PATTERNS_SHOWN_MAX;
  const shown = patterns.slice(0, PATTERNS_SHOWN_MAX).join(", ");
  return hidden > 0 ? `${shown} and ${hidden} more` : shown;
}

/** Renders a point in time to the minute. */
export function timeOf(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")} UTC</time>`;
}
