import {
  authorize,
  grantAccess,
  isBearerToken,
  opensCatalog,
  opensRepository,
  readCredentials,
} from "@sealhouse/identity";
import type {
  Action,
  Authenticator,
  BearerTokens,
  Credentials,
  Principal,
  RefreshTokens,
} from "@sealhouse/identity";
import type { Action as OciAction, OciPorts } from "@sealhouse/oci-distribution";
import type { RequestContext, RequestContexts } from "./request-context.ts";

/** Everything access depends on, the same for all protocols. */
export type AccessRules = {
  readonly authenticator: Authenticator;
  readonly bearerTokens: BearerTokens;
  readonly refreshTokens: RefreshTokens;
  readonly contexts: RequestContexts;
  readonly anonymousPull: boolean;
  readonly now: () => Date;
};

type Caller = {
  readonly actor: string;
  readonly tokenId?: string;
  readonly address?: string;
  readonly requestId?: string;
};

type Verdict =
  | { readonly status: "granted"; readonly caller: Caller; readonly names?: readonly string[] }
  | { readonly status: "anonymous"; readonly reason?: string }
  | { readonly status: "denied"; readonly reason: string }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

type PackageWanted = {
  readonly action: Action;
  readonly name?: string | undefined;
};
type PackageAuthorize = (request: Request, env: unknown, wanted: PackageWanted) => Promise<Verdict>;

/** `Authorize` of the NuGet and npm packages; by the same rule, of the pages about images. */
export function packageAuthorize(
  rules: AccessRules,
  protocol: "nuget" | "npm" | "oci",
): PackageAuthorize {
  return (request, env, wanted) =>
    admitToPackages(
      rules,
      { ...wanted, protocol },
      {
        headers: request.headers,
        context: rules.contexts.of(request, env),
      },
    );
}

/** The same for whoever has no `Request`. */
export async function admitToPackages(
  rules: AccessRules,
  { protocol, action, name }: PackageWanted & { readonly protocol: "nuget" | "npm" | "oci" },
  from: { readonly headers: Pick<Headers, "get">; readonly context: RequestContext },
): Promise<Verdict> {
  const { headers, context } = from;
  const known = await identifyOnce(rules, readCredentials(headers), context);
  switch (known.status) {
    case "principal":
    case "none":
      return decide(rules, context, { known, protocol, action, name });
    case "limited":
      return known;
    case "invalid":
      // NuGet answers 401 with a prompt for credentials, which a wrong API key does not need; npm
      // says that its token is wrong only when it gets 401.
      return protocol === "nuget" && action !== "read"
        ? { status: "denied", reason: known.reason }
        : { status: "anonymous", reason: known.reason };
  }
}

/** `Authorize` of the OCI package: bearer tokens by what they were made for, API tokens as such. */
export function ociAuthorize(rules: AccessRules): OciPorts["authorize"] {
  return (request, env, wanted) => {
    const context = rules.contexts.of(request, env);
    return admitToImages(rules, wanted, { headers: request.headers, context });
  };
}

/** The same for whoever has no `Request`. */
export async function admitToImages(
  rules: AccessRules,
  { action, repository }: Parameters<OciPorts["authorize"]>[2],
  from: { readonly headers: Pick<Headers, "get">; readonly context: RequestContext },
): ReturnType<OciPorts["authorize"]> {
  const { headers, context } = from;
  const credentials = readCredentials(headers);
  if (credentials.type === "secret" && isBearerToken(credentials.secret)) {
    return bearerVerdict(rules, context, { token: credentials.secret, action, repository });
  }
  const known = await identifyOnce(rules, credentials, context);
  if (known.status === "limited") return known;
  if (known.status === "invalid") return { status: "anonymous", error: "invalid_token" };
  // The ping is always challenged, or docker would never learn where tokens are made.
  if (known.status === "none" && repository === undefined) return { status: "anonymous" };
  const name = repository === "*" ? undefined : repository;
  const wanted = { known, protocol: "oci", action: ACTIONS[action], name } as const;
  const verdict = decide(rules, context, wanted);
  if (verdict.status !== "granted") return verdict;
  return { ...verdict, mayPull: pullRule(rules, context, known) };
}

/** `TokenService` of the OCI package. */
export function ociTokens(rules: AccessRules): OciPorts["tokens"] {
  return {
    async issue({ request, env, grant, scopes, offline, client }) {
      const context = rules.contexts.of(request, env);
      const known = await identifyGrant(rules, grant, { request, context });
      if (known.status === "limited") return known;
      const isNobody = known.status === "none" && !rules.anonymousPull;
      if (known.status === "invalid" || isNobody) return { status: "refused" };
      const principal = known.status === "principal" ? known.principal : undefined;
      // The one it has stays good.
      const wantsRefresh = offline && grant.type !== "refresh_token";
      const { anonymousPull, now } = rules;
      const access = grantAccess(principal, scopes, {
        anonymousPull,
        now: now(),
        address: context.address,
      });
      return {
        status: "issued",
        ...rules.bearerTokens.issue(principal, access),
        ...(wantsRefresh &&
          principal && { refreshToken: await rules.refreshTokens.issue(principal, client) }),
      };
    },
  };
}

const ACTIONS = { pull: "read", push: "write", delete: "delete" } as const;

type Known =
  | { readonly status: "principal"; readonly principal: Principal }
  | { readonly status: "none" }
  | { readonly status: "invalid"; readonly reason: string }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

async function identify(
  rules: AccessRules,
  credentials: Credentials,
  context: RequestContext,
): Promise<Known> {
  const known = await rules.authenticator.authenticate(credentials, context.address);
  if (known.status === "principal") rules.contexts.confirmAddress(context);
  return known;
}

const refused = new WeakMap<RequestContext, Known>();

/** For what the headers carry: wrong credentials count as one failure, however many ask whether a
 * request is let in. */
async function identifyOnce(
  rules: AccessRules,
  credentials: Credentials,
  context: RequestContext,
): Promise<Known> {
  const before = refused.get(context);
  if (before) return before;
  const known = await identify(rules, credentials, context);
  if (known.status === "invalid") refused.set(context, known);
  if (known.status === "principal") context.tokenId = known.principal.tokenId;
  return known;
}

type Grant = Parameters<OciPorts["tokens"]["issue"]>[0]["grant"];

async function identifyGrant(
  rules: AccessRules,
  grant: Grant,
  { request, context }: { readonly request: Request; readonly context: RequestContext },
): Promise<Known> {
  switch (grant.type) {
    case "header":
      return identify(rules, readCredentials(request.headers), context);
    case "password": {
      const { username, password: secret } = grant;
      return identify(rules, { type: "secret", secret, via: "basic", username }, context);
    }
    case "refresh_token": {
      const text = grant.refreshToken;
      const find = () => rules.refreshTokens.verify(text);
      return rules.authenticator.attempt({ text, find }, context.address);
    }
  }
}

type Asked = {
  readonly known: Extract<Known, { readonly status: "principal" | "none" }>;
  readonly protocol: "nuget" | "npm" | "oci";
  readonly action: Action;
  readonly name: string | undefined;
};

function decide(rules: AccessRules, context: RequestContext, asked: Asked): Verdict {
  const { known, ...wanted } = asked;
  const principal = known.status === "principal" ? known.principal : undefined;
  const { anonymousPull, now } = rules;
  const { address } = context;
  const decision = authorize(principal, { ...wanted, address, now: now(), anonymousPull });
  if (decision.status !== "granted") return decision;
  return { ...decision, caller: { ...decision.caller, requestId: context.id } };
}

type BearerAsked = {
  readonly token: string;
  readonly action: OciAction;
  readonly repository: string | undefined;
};

async function bearerVerdict(
  rules: AccessRules,
  context: RequestContext,
  { token, action, repository }: BearerAsked,
): ReturnType<OciPorts["authorize"]> {
  const { anonymousPull } = rules;
  const { address } = context;
  const verified = await rules.bearerTokens.verify(token, { anonymousPull, address });
  if (verified.status === "invalid") return { status: "anonymous", error: "invalid_token" };
  const { principal, access } = verified;
  if (principal) rules.contexts.confirmAddress(context);
  if (principal) context.tokenId = principal.tokenId;
  const known: Asked["known"] = principal ? { status: "principal", principal } : { status: "none" };
  const caller: Caller = {
    actor: principal?.name ?? "anonymous",
    requestId: context.id,
    ...(principal && { tokenId: principal.tokenId }),
    ...(address !== undefined && { address }),
  };
  if (opens(access, repository, action)) {
    const isPublic = pullRule(rules, context, { status: "none" });
    const mayPull =
      repository === "*"
        ? pullRule(rules, context, known)
        : (source: string) => opensRepository(access, source, "pull") || isPublic(source);
    return { status: "granted", caller, mayPull };
  }
  // A better token may help somebody who may do it; whoever may not is told so.
  const name = repository === "*" ? undefined : repository;
  const own = decide(rules, context, { known, protocol: "oci", action: ACTIONS[action], name });
  if (own.status === "denied") return own;
  return { status: "anonymous", error: "insufficient_scope" };
}

type AccessList = Parameters<typeof opensRepository>[0];

function opens(access: AccessList, repository: string | undefined, action: OciAction): boolean {
  if (repository === undefined) return true;
  return repository === "*" ? opensCatalog(access) : opensRepository(access, repository, action);
}

function pullRule(
  rules: AccessRules,
  context: RequestContext,
  known: Asked["known"],
): (repository: string) => boolean {
  return (name) =>
    decide(rules, context, { known, protocol: "oci", action: "read", name }).status === "granted";
}
