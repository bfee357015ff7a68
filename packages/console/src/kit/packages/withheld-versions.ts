import { html } from "hono/html";
import { clipped, countOf } from "../elements/format.ts";
import { badge } from "../elements/badges.ts";
import type { Html } from "../page/document.ts";

/** Reason for which clients do not get a version. `text` is the refusal that they show. */
export type Withholding = {
  readonly status: "held" | "denied";
  readonly text: string;
  readonly until?: Date;
};

/** A version of a package that clients do not get. */
export type WithheldVersion = Withholding & { readonly version: string };

/** Returns the versions of a name that are held back or denied. */
export type WithheldVersions = (name: string) => Promise<ReadonlyMap<string, Withholding>>;

const SHOWN_MAX = 20;
const TEXT_LENGTH_MAX = 1_000;
/** A page does not wait longer for the source of a package. */
const PATIENCE_MS = 2_000;

/** Lists them, the newest first; none when the source of the package does not answer soon. */
export async function withheldOf(
  withheld: WithheldVersions | undefined,
  name: string,
): Promise<readonly WithheldVersion[]> {
  if (!withheld) return [];
  const late = Promise.withResolvers<ReadonlyMap<string, Withholding>>();
  const timer = setTimeout(() => late.resolve(new Map()), PATIENCE_MS);
  try {
    const found = await Promise.race([withheld(name), late.promise]);
    return [...found].map(([version, why]) => ({ ...why, version })).toReversed();
  } finally {
    clearTimeout(timer);
  }
}

/** Renders why the version of the page is withheld. */
export function withheldBanner(why: Withholding, heldTitle = "This version is held back"): Html {
  const isHeld = why.status === "held";
  return html`<section class="banner ${isHeld ? "warn" : "bad"}" aria-labelledby="withheld">
    <h2 id="withheld">${isHeld ? heldTitle : "This version is denied"}</h2>
    <p class="said">${clipped(why.text, TEXT_LENGTH_MAX)}</p>
    ${endOf(why)}
  </section>`;
}

/** Renders the withheld versions of a package. */
export function withheldCard(versions: readonly WithheldVersion[]): Html | false {
  if (versions.length === 0) return false;
  const hidden = versions.length - SHOWN_MAX;
  const item = (withheld: WithheldVersion) =>
    html`<li>
      <strong>${withheld.version}</strong>
      ${withheld.status === "held" ? badge("Held back", "warn") : badge("Denied", "bad")}
      <p class="said">${clipped(withheld.text, TEXT_LENGTH_MAX)}</p>
      ${endOf(withheld)}
    </li>`;
  return html`<section class="card" aria-labelledby="withheld-versions">
    <h2 id="withheld-versions">${countOf(versions.length, "version")} held back or denied</h2>
    <ul class="plain">
      ${versions.slice(0, SHOWN_MAX).map(item)} ${hidden > 0 && html`<li>and ${hidden} more</li>`}
    </ul>
  </section>`;
}

function endOf({ until }: Withholding): Html | false {
  if (!until) return false;
  const iso = until.toISOString();
  return html`<p class="note">
    Until <time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")} UTC</time>
  </p>`;
}
