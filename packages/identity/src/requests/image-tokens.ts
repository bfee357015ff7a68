import type { Access } from "../access.ts";
import { grantAccess } from "../access.ts";
import { isIdToken } from "../bearer-tokens.ts";
import type { Credentials } from "../credentials.ts";
import { readCredentials } from "../credentials.ts";
import type { AccessRules } from "./access-rules.ts";
import type { Identification, RequestOrigin } from "./identification.ts";
import { identify } from "./identification.ts";

/** Matches `TokenRequest` of the OCI package. */
export type ImageTokenRequest = {
  readonly request: Request;
  readonly env: unknown;
  readonly grant:
    | { readonly type: "header" }
    | { readonly type: "password"; readonly username: string; readonly password: string }
    | { readonly type: "refresh_token"; readonly refreshToken: string };
  readonly scopes: readonly Access[];
  /** Requests a refresh token too. */
  readonly offline: boolean;
  /** Name of the client software; empty when unknown. */
  readonly client: string;
};

/** Outcome of a token request. */
export type ImageTokenOutcome =
  | {
      readonly status: "issued";
      readonly token: string;
      readonly expiresInSeconds: number;
      readonly issuedAt: Date;
      readonly refreshToken?: string;
    }
  | { readonly status: "refused" }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** Matches `TokenService` of the OCI package. */
export type ImageTokens = { issue(tokenRequest: ImageTokenRequest): Promise<ImageTokenOutcome> };

/** Issues bearer tokens, with refresh tokens where a client requests them. */
export function createImageTokens(rules: AccessRules): ImageTokens {
  return {
    async issue({ request, env, grant, scopes, offline, client }) {
      const context = rules.contexts.of(request, env);
      const identified = await identifyGrant(rules, grant, { request, context });
      if (identified.status === "limited") return identified;
      const isAnonymous = identified.status === "none" && !rules.anonymousPull;
      if (identified.status === "invalid" || isAnonymous) return { status: "refused" };
      const principal = identified.status === "principal" ? identified.principal : undefined;
      // A refresh token stays valid after its use.
      const needsRefresh = offline && grant.type !== "refresh_token";
      const { anonymousPull, now } = rules;
      const { address } = context;
      const access = grantAccess(principal, scopes, { anonymousPull, now: now(), address });
      return {
        status: "issued",
        ...rules.bearerTokens.issue(principal, access),
        ...(needsRefresh &&
          principal && { refreshToken: await rules.refreshTokens.issue(principal, client) }),
      };
    },
  };
}

async function identifyGrant(
  rules: AccessRules,
  grant: ImageTokenRequest["grant"],
  { request, context }: { readonly request: Request; readonly context: RequestOrigin },
): Promise<Identification> {
  switch (grant.type) {
    case "header":
      return identifySecret(rules, readCredentials(request.headers), context);
    case "password": {
      const { username, password: secret } = grant;
      return identifySecret(rules, { type: "secret", secret, via: "basic", username }, context);
    }
    case "refresh_token": {
      const text = grant.refreshToken;
      const find = () => rules.refreshTokens.verify(text);
      return rules.authenticator.attempt({ text, find }, context.address);
    }
  }
}

/** An API token, or the ID token of a build job as the password. */
function identifySecret(
  rules: AccessRules,
  credentials: Credentials,
  context: RequestOrigin,
): Promise<Identification> {
  const { idTokens, authenticator } = rules;
  const isForPolicies = credentials.type === "secret" && isIdToken(credentials.secret);
  if (!idTokens || !isForPolicies) return identify(rules, credentials, context);
  const text = credentials.secret;
  return authenticator.attempt({ text, find: () => idTokens(text, context) }, context.address);
}
