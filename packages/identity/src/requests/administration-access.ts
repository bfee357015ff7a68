import type { AdministrativeScope } from "../ports.ts";
import type { AccessRules } from "./access-rules.ts";
import { createPageAuthorize } from "./package-access.ts";
import type { PageVerdict } from "./page-verdict.ts";

/**
 * Decides whether a caller may administer. A token must hold the scope, or `admin`, for all
 * protocols and all names.
 */
export type AdministrationAuthorize = (
  request: Request,
  env: unknown,
  wanted: {
    readonly scope: AdministrativeScope | "admin";
    /** Nothing that a session has to confirm. */
    readonly changesNothing?: true;
  },
) => Promise<PageVerdict>;

/** npm first: it answers a wrong token as an anonymous request, which is then asked for one. */
const ALL_PROTOCOLS = ["npm", "nuget", "oci"] as const;

/** Authorizes requests of administrators, by their tokens or, with `identifyPage`, sessions. */
export function createAdministrationAuthorize(rules: AccessRules): AdministrationAuthorize {
  return async (request, env, { scope, changesNothing }) => {
    const verdicts: PageVerdict[] = [];
    for (const protocol of ALL_PROTOCOLS) {
      const wanted = { action: scope, ...(changesNothing && { changesNothing }) };
      const verdict = await createPageAuthorize(rules, protocol)(request, env, wanted);
      if (verdict.status !== "granted" && verdict.status !== "step-up") return verdict;
      if (verdict.status === "granted" && verdict.names) {
        const reason = "The token is limited to names; use one without limits.";
        return { status: "denied", reason };
      }
      verdicts.push(verdict);
    }
    const [first = { status: "anonymous" }] = verdicts;
    return verdicts.find(({ status }) => status === "step-up") ?? first;
  };
}
