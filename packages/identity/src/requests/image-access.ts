import type { Caller, ImageVerdict } from "@sealhouse/request-types";
import type { Access } from "../access.ts";
import { opensCatalog, opensRepository } from "../access.ts";
import { ANONYMOUS } from "../authorize.ts";
import type { Action } from "../authorize.ts";
import { isBearerToken, isIdToken } from "../bearer-tokens.ts";
import { holderOf } from "../principal.ts";
import type { Principal } from "../principal.ts";
import type { ViewedNames } from "../visibility/visibility.ts";
import { readCredentials } from "../credentials.ts";
import type { AccessRules, Identified, RequestHeaders, RequestOrigin } from "./access-rules.ts";
import { hasHiddenNames, identifyRequest, openDecisions, withOwners } from "./access-rules.ts";

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

/** Authorizes a request that has no `Request` object. */
export async function authorizeImage(
  rules: AccessRules,
  imageRequest: ImageRequest,
  { headers, context }: RequestHeaders,
): Promise<ImageVerdict> {
  const { action, repository } = imageRequest;
  const credentials = readCredentials(headers);
  if (!rules.identifyPage && credentials.type === "secret") {
    const { secret: token } = credentials;
    if (isBearerToken(token)) {
      return bearerVerdict(rules, context, { ...imageRequest, token });
    }
    if (isIdToken(token)) return ID_TOKEN_HERE;
  }
  const [identified, hasHidden] = await Promise.all([
    identifyRequest(rules, { headers, context }),
    hasHiddenNames(rules),
  ]);
  if (identified.status === "limited") return identified;
  if (identified.status === "invalid") return { status: "anonymous", error: "invalid_token" };
  // Always challenges the ping: docker learns the address of the token service from it.
  if (identified.status === "none" && repository === undefined) return { status: "anonymous" };
  const name = repository === "*" ? undefined : repository;
  const names = namesOf({ action, repository });
  const decisions = await openDecisions(rules, { origin: context, identified, names, hasHidden });
  const wanted = { protocol: "oci", action: actionOf(imageRequest), name } as const;
  const unowned = decisions.on(wanted);
  const verdict = await withOwners(rules, context, { ...wanted, identified, unowned });
  if (verdict.status !== "granted") return verdict;
  return { ...verdict, mayPull: pullRule(decisions) };
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
  const { address } = context;
  const [verified, hasHidden] = await Promise.all([
    rules.bearerTokens.verify(token, { anonymousPull, address }),
    hasHiddenNames(rules),
  ]);
  if (verified.status === "invalid") return { status: "anonymous", error: "invalid_token" };
  const { principal, access } = verified;
  if (principal) rules.contexts.confirmAddress(context);
  if (principal) context.tokenId = principal.tokenId;
  const identified: Identified = principal
    ? { status: "principal", principal }
    : { status: "none" };
  const caller = callerOf(principal, context);
  const names = namesOf({ action, repository });
  const decisions = await openDecisions(rules, { origin: context, identified, names, hasHidden });
  const name = repository === "*" ? undefined : repository;
  const wanted = { protocol: "oci", action: actionOf(imageRequest), name } as const;
  const unowned = decisions.on(wanted);
  const verdict = await withOwners(rules, context, { ...wanted, identified, unowned });
  if (opens(access, repository, action)) {
    // A name may have been hidden after the token was issued.
    const isLimited = name !== undefined && decisions.isLimited(name);
    if ((isLimited || isOwned(identified, action)) && verdict.status !== "granted") return verdict;
    const maySee = pullRule(decisions);
    if (repository === "*") return { status: "granted", caller, mayPull: maySee };
    const by = verdict.status === "granted" ? verdict.caller : caller;
    const isOpen = (source: string) => opensRepository(access, source, "pull") && maySee(source);
    if (action !== "push") return { status: "granted", caller: by, mayPull: isOpen };
    // A push may also mount what anonymous callers may pull.
    const none = { origin: context, identified: { status: "none" }, names, hasHidden } as const;
    const isPublic = pullRule(await openDecisions(rules, none));
    const mayPull = (source: string) => isOpen(source) || isPublic(source);
    return { status: "granted", caller: by, mayPull };
  }
  // Challenges only a caller for whom a new token would help.
  if (verdict.status === "denied") return verdict;
  return { status: "anonymous", error: "insufficient_scope" };
}

function callerOf(principal: Principal | undefined, { id, address }: RequestOrigin): Caller {
  return {
    actor: principal?.name ?? ANONYMOUS,
    requestId: id,
    ...(principal && { tokenId: principal.tokenId }),
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

type Decisions = Awaited<ReturnType<typeof openDecisions>>;

function pullRule({ on }: Decisions): (repository: string) => boolean {
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
