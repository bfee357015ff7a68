import type { OwnableName } from "@sealhouse/identity";
import { html } from "hono/html";
import type { Html } from "../page/document.ts";
import type { PublicAddress } from "../page/public-address.ts";
import type { From } from "../page/shown-page.ts";
import { managedPath } from "./name-address.ts";

/** Whether the caller of a page may manage a name; undefined where no page manages names. */
export type ManagesName = (from: From, name: OwnableName) => Promise<boolean>;

/** Renders the link to the page that manages a name, for those who may. */
export function manageLink(
  isManaged: boolean | undefined,
  { root }: PublicAddress,
  name: OwnableName,
): Html | false {
  if (isManaged !== true) return false;
  const about = html`<span class="unseen"> ${name.name}</span>`;
  return html`<p><a class="button" href="${root}${managedPath(name)}">Manage${about}</a></p>`;
}
