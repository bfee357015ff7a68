import type { PackageVerdict, Protocol } from "@sealhouse/request-types";
import type { Action } from "../authorize.ts";
import type { AccessRules } from "./access-rules.ts";
import { noteAsked } from "./identification.ts";
import type { RequestHeaders } from "./identification.ts";
import type { PageVerdict } from "./page-verdict.ts";
import { withoutStepUp } from "./page-verdict.ts";
import { openFor } from "./request-access.ts";
import type { Unidentified } from "./request-access.ts";

/** The action of a package request, and the package name when it has one. */
export type PackageRequest = {
  readonly action: Action;
  /** An administrative action that changes nothing. */
  readonly changesNothing?: true;
  readonly name?: string | undefined;
};

/** Matches `AuthorizePackage` of the NuGet and npm packages. */
export type PackageAuthorize = (
  request: Request,
  env: unknown,
  target: PackageRequest,
) => Promise<PackageVerdict>;

/** Authorizes requests of package clients. */
export function createPackageAuthorize(rules: AccessRules, protocol: Protocol): PackageAuthorize {
  return (request, env, packageRequest) => {
    const context = rules.contexts.of(request, env);
    const { headers } = request;
    return authorizePackage(rules, { ...packageRequest, protocol }, { headers, context });
  };
}

type NamedRequest = PackageRequest & { readonly protocol: Protocol };

/** Authorizes a request that has no `Request` object. */
export async function authorizePackage(
  rules: AccessRules,
  target: NamedRequest,
  request: RequestHeaders,
): Promise<PackageVerdict> {
  return withoutStepUp(await verdictOn(rules, target, request));
}

/** Matches `PackageAuthorize` for pages. */
export type PageAuthorize = (
  request: Request,
  env: unknown,
  target: PackageRequest,
) => Promise<PageVerdict>;

/** Authorizes requests of the web pages of all protocols. */
export function createPageAuthorize(rules: AccessRules, protocol: Protocol): PageAuthorize {
  return (request, env, packageRequest) => {
    const context = rules.contexts.of(request, env);
    return verdictOn(rules, { ...packageRequest, protocol }, { headers: request.headers, context });
  };
}

/** The reads of one caller: decides about each name without another lookup. */
export type Reads = {
  /** About reading without a name. */
  readonly verdict: PageVerdict;
  readonly mayRead: (name: string) => boolean;
};

/** Opens the reads of a page that shows many names of a protocol. */
export async function openReads(
  rules: AccessRules,
  protocol: Protocol,
  { request, env }: { readonly request: Request; readonly env: unknown },
): Promise<Reads> {
  const context = rules.contexts.of(request, env);
  const opened = await openFor(rules, { protocol }, { headers: request.headers, context });
  if (!("access" in opened)) return { verdict: refusalOf(opened, protocol), mayRead: () => false };
  const on = (name?: string) => opened.access.on({ protocol, action: "read", name });
  return { verdict: on(), mayRead: (name) => on(name).status === "granted" };
}

/** Decides a read once for each request. A change may take long, so it is decided each time. */
function verdictOn(
  rules: AccessRules,
  { protocol, action, name, changesNothing }: NamedRequest,
  request: RequestHeaders,
): Promise<PageVerdict> {
  const decide = async () => {
    const opened = await openFor(rules, { protocol, name }, request);
    const target = { protocol, action, name };
    const verdict =
      "access" in opened
        ? await opened.access.owned(changesNothing ? { ...target, changesNothing } : target)
        : refusalOf(opened, protocol, action);
    return noteAsked(request.context, target, verdict);
  };
  if (action !== "read") return decide();
  const caller = rules.identifyPage ? "page" : "client";
  const question = [caller, protocol, ...(name === undefined ? [] : [name])].join(" ");
  return request.context.decisions.reads(question, decide);
}

/** With 401, NuGet clients prompt for credentials, which does not help for a wrong API key. npm
 * reports a wrong token only after 401. */
function refusalOf(
  identified: Unidentified,
  protocol: Protocol,
  action: Action = "read",
): PackageVerdict {
  if (identified.status === "limited") return identified;
  const { reason } = identified;
  const isPush = protocol === "nuget" && action !== "read";
  return { status: isPush ? "denied" : "anonymous", reason };
}
