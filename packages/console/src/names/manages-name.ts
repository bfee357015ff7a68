import type { ManagesName } from "../kit/links/manage-link.ts";
import type { AccessRules } from "@sealhouse/identity";
import { nameKeyOf } from "@sealhouse/identity";
import { mayManage } from "./name-manager.ts";

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
