import type { AccessRules, OwnableName } from "@sealhouse/identity";
import { nameKeyOf } from "@sealhouse/identity";
import { html } from "hono/html";
import type { Html } from "../kit/document.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import type { From } from "../kit/shown-page.ts";
import { managedPath } from "./name-address.ts";
import { mayManage } from "./name-manager.ts";

/** Whether the caller of a page may manage a name; undefined where no page manages names. */
export type ManagesName = (from: From, name: OwnableName) => Promise<boolean>;

/**
 * Creates the question for pages. A look at a page is never reported as a request that owners would
 * refuse.
 */
export function createManagesName(rules: AccessRules): ManagesName {
  const { names } = rules;
  const asking = { rules: { ...rules, names: names && ({ ...names, mode: "enforce" } as const) } };
  return async (from, { protocol, name }) => {
    const key = { protocol, name: nameKeyOf(protocol, name) };
    return (await mayManage(asking, from, key)).status === "granted";
  };
}

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
