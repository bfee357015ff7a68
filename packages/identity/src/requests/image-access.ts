import type { Caller, ImageVerdict } from "@sealhouse/request-types";
import type { Access } from "../access.ts";
import { opensCatalog, opensRepository } from "../access.ts";
import { ANONYMOUS } from "../authorize.ts";
import { isBearerToken } from "../bearer-tokens.ts";
import { readCredentials } from "../credentials.ts";
import { holderOf } from "../principal.ts";
import type {
  AccessRequest,
  AccessRules,
  Identified,
  RequestHeaders,
  RequestOrigin,
} from "./access-rules.ts";
import { decide, decideByOwners, identifyRequest } from "./access-rules.ts";

/** Action of a container client on a repository. */
export type ImageAction = "pull" | "push" | "delete";

/** A container request. `repository` is undefined for the ping and `*` for the catalog. */
export type ImageRequest = {
  readonly action: ImageAction;
  readonly repository?: string | undefined;
};

/** Matches `Authorize` of the OCI package. */
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
  { action, repository }: ImageRequest,
  { headers, context }: RequestHeaders,
): Promise<ImageVerdict> {
  const credentials = readCredentials(headers);
  if (!rules.identifyPage && credentials.type === "secret" && isBearerToken(credentials.secret)) {
    return bearerVerdict(rules, context, { token: credentials.secret, action, repository });
  }
  const identified = await identifyRequest(rules, { headers, context });
  if (identified.status === "limited") return identified;
  if (identified.status === "invalid") return { status: "anonymous", error: "invalid_token" };
  // Always challenges the ping: docker learns the address of the token service from it.
  if (identified.status === "none" && repository === undefined) return { status: "anonymous" };
  const wanted = accessTo(identified, action, repository);
  const verdict = await decideByOwners(rules, context, wanted);
  if (verdict.status !== "granted") return verdict;
  return { ...verdict, mayPull: pullRule(rules, context, identified) };
}

const ACTIONS = { pull: "read", push: "write", delete: "delete" } as const;

function accessTo(
  identified: Identified,
  action: ImageAction,
  repository: string | undefined,
): AccessRequest {
  const name = repository === "*" ? undefined : repository;
  return { identified, protocol: "oci", action: ACTIONS[action], name };
}

async function bearerVerdict(
  rules: AccessRules,
  context: RequestOrigin,
  { token, action, repository }: ImageRequest & { readonly token: string },
): Promise<ImageVerdict> {
  const { anonymousPull } = rules;
  const { address } = context;
  const verified = await rules.bearerTokens.verify(token, { anonymousPull, address });
  if (verified.status === "invalid") return { status: "anonymous", error: "invalid_token" };
  const { principal, access } = verified;
  if (principal) rules.contexts.confirmAddress(context);
  if (principal) context.tokenId = principal.tokenId;
  const identified: Identified = principal
    ? { status: "principal", principal }
    : { status: "none" };
  const caller: Caller = {
    actor: principal?.name ?? ANONYMOUS,
    requestId: context.id,
    ...(principal && { tokenId: principal.tokenId }),
    ...(address !== undefined && { address }),
  };
  if (opens(access, repository, action)) {
    const isPublic = pullRule(rules, context, { status: "none" });
    const mayPull =
      repository === "*"
        ? pullRule(rules, context, identified)
        : (source: string) => opensRepository(access, source, "pull") || isPublic(source);
    const wanted = accessTo(identified, action, repository);
    const owned = await ownersVerdict(rules, context, wanted);
    if (owned && owned.status !== "granted") return owned;
    return { status: "granted", caller, ...owned, mayPull };
  }
  // Challenges only a caller for whom a new token would help.
  const verdict = await decideByOwners(rules, context, accessTo(identified, action, repository));
  if (verdict.status === "denied") return verdict;
  return { status: "anonymous", error: "insufficient_scope" };
}

/**
 * Returns undefined where owners do not decide. The current owners count, not those at the time
 * when the bearer token was issued.
 */
function ownersVerdict(rules: AccessRules, context: RequestOrigin, wanted: AccessRequest) {
  const { identified, action } = wanted;
  if (identified.status !== "principal" || action === "read") return undefined;
  if (holderOf(identified.principal) === undefined) return undefined;
  return decideByOwners(rules, context, wanted);
}

function opens(
  access: readonly Access[],
  repository: string | undefined,
  action: ImageAction,
): boolean {
  if (repository === undefined) return true;
  return repository === "*" ? opensCatalog(access) : opensRepository(access, repository, action);
}

function pullRule(
  rules: AccessRules,
  context: RequestOrigin,
  identified: Identified,
): (repository: string) => boolean {
  return (name) => {
    const accessRequest = { identified, protocol: "oci", action: "read", name } as const;
    return decide(rules, context, accessRequest).status === "granted";
  };
}
