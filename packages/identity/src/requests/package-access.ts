import type { PackageVerdict, Protocol } from "@sealhouse/request-types";
import type { Action } from "../authorize.ts";
import type { AccessRequest, AccessRules, RequestHeaders, RequestOrigin } from "./access-rules.ts";
import { hasHiddenNames, identifyRequest, openDecisions, withOwners } from "./access-rules.ts";

/** The action of a package request, and the package name when it has one. */
export type PackageRequest = {
  readonly action: Action;
  readonly name?: string | undefined;
};

/** Matches `AuthorizePackage` of the NuGet and npm packages. */
export type PackageAuthorize = (
  request: Request,
  env: unknown,
  target: PackageRequest,
) => Promise<PackageVerdict>;

/** Authorizes requests of package clients, and of the web pages of all protocols. */
export function createPackageAuthorize(rules: AccessRules, protocol: Protocol): PackageAuthorize {
  return (request, env, packageRequest) => {
    const context = rules.contexts.of(request, env);
    return authorizePackage(
      rules,
      { ...packageRequest, protocol },
      { headers: request.headers, context },
    );
  };
}

/** Authorizes a request that has no `Request` object. */
export async function authorizePackage(
  rules: AccessRules,
  { protocol, action, name }: PackageRequest & { readonly protocol: Protocol },
  { headers, context }: RequestHeaders,
): Promise<PackageVerdict> {
  const [identified, hasHidden] = await Promise.all([
    identifyRequest(rules, { headers, context }),
    hasHiddenNames(rules),
  ]);
  switch (identified.status) {
    case "principal":
    case "none":
      return decideOn(rules, context, { identified, protocol, action, name, hasHidden });
    case "limited":
      return identified;
    case "invalid":
      // With 401, NuGet clients prompt for credentials, which does not help for a wrong API key.
      // npm reports a wrong token only after 401.
      return protocol === "nuget" && action !== "read"
        ? { status: "denied", reason: identified.reason }
        : { status: "anonymous", reason: identified.reason };
  }
}

async function decideOn(
  rules: AccessRules,
  origin: RequestOrigin,
  { identified, hasHidden, ...access }: AccessRequest & { readonly hasHidden: boolean },
): Promise<PackageVerdict> {
  const subject = { origin, identified, names: access, hasHidden };
  const decisions = await openDecisions(rules, subject);
  return withOwners(rules, origin, { ...access, identified, unowned: decisions.on(access) });
}
