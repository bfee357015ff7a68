import type { Caller, ImageVerdict } from "@sealhouse/request-types";
import type { Access } from "../access.ts";
import { opensCatalog, opensRepository } from "../access.ts";
import { ANONYMOUS } from "../authorize.ts";
import type { Action } from "../authorize.ts";
import { isBearerToken, isIdToken } from "../bearer-tokens.ts";
import { holderOf } from "../principal.ts";
import type { Principal } from "../principal.ts";
import type { ViewedNames } from "../visibility/visibility.ts";
import type { AccessRules } from "./access-rules.ts";
import type { Identified, RequestHeaders, RequestOrigin } from "./identification.ts";
import { credentialsOf, noteAsked, noteCaller } from "./identification.ts";
import { withoutStepUp } from "./page-verdict.ts";
import { hasHiddenNames, openAccess, openFor } from "./request-access.ts";
import type { RequestAccess } from "./request-access.ts";

/** Action of a container client on a repository. */
export type ImageAction = "pull" | "push" | "delete";

/** A container request. `repository` is undefined for the ping and `*` for the catalog. */
export type ImageRequest = {
  readonly action: ImageAction;
  readonly repository?: string | undefined;
  /** Whether a push has begun. The name of a hidden repository is then not refused as one of
   * others: it is absent. */
  readonly isContinued?: boolean;
};

/** Matches `AuthorizeImage` of the OCI package. */
export type ImageAuthorize = (
  request: Request,
  env: unknown,
  target: ImageRequest,
) => Promise<ImageVerdict>;

/** Authorizes requests of container clients: bearer tokens by their access list, API tokens by
 * their scopes. */
export function createImageAuthorize(rules: AccessRules): ImageAuthorize {
  return (request, env, imageRequest) => {
    const context = rules.contexts.of(request, env);
    return authorizeImage(rules, imageRequest, { headers: request.headers, context });
  };
}

/** Authorizes a request that has no `Request` object. Decides a pull once for each request. */
export function authorizeImage(
  rules: AccessRules,
  imageRequest: ImageRequest,
  request: RequestHeaders,
): Promise<ImageVerdict> {
  const asked = {
    protocol: "oci",
    action: actionOf(imageRequest),
    name: nameOf(imageRequest),
  } as const;
  const decide = async () =>
    noteAsked(request.context, asked, await verdictOn(rules, imageRequest, request));
  if (imageRequest.action !== "pull") return decide();
  const caller = rules.identifyPage ? "page" : "client";
  return request.context.decisions.pulls(`${caller} ${imageRequest.repository ?? ""}`, decide);
}

async function verdictOn(
  rules: AccessRules,
  imageRequest: ImageRequest,
  { headers, context }: RequestHeaders,
): Promise<ImageVerdict> {
  const credentials = credentialsOf({ headers, context });
  if (!rules.identifyPage && credentials.type === "secret") {
    const { secret: token } = credentials;
    if (isBearerToken(token)) return bearerVerdict(rules, context, { ...imageRequest, token });
    if (isIdToken(token)) return ID_TOKEN_HERE;
  }
  const opened = await openFor(rules, namesOf(imageRequest), { headers, context });
  if (!("access" in opened)) {
    return opened.status === "limited" ? opened : { status: "anonymous", error: "invalid_token" };
  }
  const { identified, access } = opened;
  // Always challenges the ping: docker learns the address of the token service from it.
  if (identified.status === "none" && imageRequest.repository === undefined) {
    return { status: "anonymous" };
  }
  return verdictIn(access, imageRequest);
}

async function verdictIn(access: RequestAccess, imageRequest: ImageRequest): Promise<ImageVerdict> {
  const name = nameOf(imageRequest);
  const target = { protocol: "oci", action: actionOf(imageRequest), name } as const;
  // Owners do not decide about reads.
  const isRead = target.action === "read";
  const verdict = withoutStepUp(isRead ? access.on(target) : await access.owned(target));
  return verdict.status === "granted" ? { ...verdict, mayPull: pullRule(access) } : verdict;
}

function nameOf({ repository }: ImageRequest): string | undefined {
  return repository === "*" ? undefined : repository;
}

/** No challenge: a client that follows one would send the ID token again. */
const ID_TOKEN_HERE: ImageVerdict = {
  status: "denied",
  reason:
    "An ID token is accepted only at the token service. Sign in with it as the password: " +
    "docker login --username ci --password-stdin",
};

const ACTIONS = { pull: "read", push: "write", delete: "delete" } as const;

/** The next step of a push needs the rights of its first one, and creates no name. */
function actionOf({ action, isContinued = false }: ImageRequest): Action {
  return action === "push" && isContinued ? "tag" : ACTIONS[action];
}

async function bearerVerdict(
  rules: AccessRules,
  context: RequestOrigin,
  { token, ...imageRequest }: ImageRequest & { readonly token: string },
): Promise<ImageVerdict> {
  const { action, repository } = imageRequest;
  const { anonymousPull } = rules;
  const { address, decisions } = context;
  const [verified, hasHidden] = await Promise.all([
    decisions.bearers(token, () => rules.bearerTokens.verify(token, { anonymousPull, address })),
    hasHiddenNames(rules),
  ]);
  if (verified.status === "invalid") return { status: "anonymous", error: "invalid_token" };
  const { principal, access: list } = verified;
  if (principal) noteCaller(rules, context, principal);
  const identified: Identified = principal
    ? { status: "principal", principal }
    : { status: "none" };
  const names = namesOf(imageRequest);
  const access = await openAccess(rules, { origin: context, identified, names, hasHidden });
  const verdict = await verdictIn(access, imageRequest);
  if (!opens(list, repository, action)) {
    // Challenges only a caller for whom a new token would help.
    return verdict.status === "denied"
      ? verdict
      : { status: "anonymous", error: "insufficient_scope" };
  }
  // A name may have been hidden after the token was issued.
  const name = nameOf(imageRequest);
  const isLimited = name !== undefined && access.isLimited(name);
  if ((isLimited || isOwned(identified, action)) && verdict.status !== "granted") return verdict;
  const caller = callerOf(principal, context);
  const maySee = pullRule(access);
  if (repository === "*") return { status: "granted", caller, mayPull: maySee };
  const by = verdict.status === "granted" ? verdict.caller : caller;
  const isOpen = (source: string) => opensRepository(list, source, "pull") && maySee(source);
  if (action !== "push") return { status: "granted", caller: by, mayPull: isOpen };
  // A push may also mount what anonymous callers may pull.
  const isPublic = pullRule(access.ofAnonymous());
  const mayPull = (source: string) => isOpen(source) || isPublic(source);
  return { status: "granted", caller: by, mayPull };
}

function callerOf(principal: Principal | undefined, { id, address }: RequestOrigin): Caller {
  return {
    actor: principal?.name ?? ANONYMOUS,
    requestId: id,
    ...(principal && { tokenId: principal.tokenId, needs: undefined }),
    ...(address !== undefined && { address }),
  };
}

/** Whether current owners decide, not those at the time when the bearer token was issued. */
function isOwned(identified: Identified, action: ImageAction): boolean {
  if (action === "pull" || identified.status !== "principal") return false;
  return holderOf(identified.principal) !== undefined;
}

function opens(
  access: readonly Access[],
  repository: string | undefined,
  action: ImageAction,
): boolean {
  if (repository === undefined) return true;
  return repository === "*" ? opensCatalog(access) : opensRepository(access, repository, action);
}

function pullRule({ on }: RequestAccess): (repository: string) => boolean {
  return (name) => on({ protocol: "oci", action: "read", name }).status === "granted";
}

/**
 * A list and a push decide about all names: a push may mount blobs of other repositories. The ping
 * decides about none.
 */
function namesOf({ action, repository = "" }: ImageRequest): ViewedNames {
  const isOne = repository !== "*" && action !== "push";
  return { protocol: "oci", ...(isOne && { name: repository }) };
}
