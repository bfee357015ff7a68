import { randomUUID } from "node:crypto";
import { RESOURCE, troubled } from "./vault-state.ts";
import type { VaultRequest, Reply, Tokens, VaultState } from "./vault-state.ts";

const LIFE_SECONDS = 3600;
const IDENTITY_HEADER = "identity-header-of-the-stand-in";

export function createTokens(): Tokens {
  const tokens = new Set<string>();
  return {
    give() {
      const token = `token-${randomUUID()}`;
      tokens.add(token);
      return token;
    },
    isKnown: (authorization) => tokens.has(/^Bearer (.+)$/.exec(authorization ?? "")?.[1] ?? ""),
  };
}

/** Variables with which the SDK finds the identity endpoint, as App Service sets them. */
export function appServiceEnvironment(identityUrl: string): Record<string, string> {
  return {
    IDENTITY_ENDPOINT: `${identityUrl}/msi/token`,
    IDENTITY_HEADER,
  };
}

/** The same for the instance metadata service of virtual machines. */
export function instanceMetadataEnvironment(identityUrl: string): Record<string, string> {
  return { AZURE_POD_IDENTITY_AUTHORITY_HOST: identityUrl };
}

/** Undefined when the request does not concern a token server. */
export function answerTokenRequest(request: VaultRequest, state: VaultState): Reply | undefined {
  // With and without a slash at the end: the SDK writes the latter.
  const pathname = request.url.pathname.replace(/\/$/, "");
  if (pathname.endsWith("/.well-known/openid-configuration")) {
    return { status: 200, body: configurationOf(state) };
  }
  const isIdentity = pathname === "/msi/token" || pathname === "/metadata/identity/oauth2/token";
  if (!isIdentity && !pathname.endsWith("/oauth2/v2.0/token")) return undefined;
  state.tokenRequests.push(isIdentity ? `${pathname}${request.url.search}` : request.body);
  const trouble = state.troubles.get("token");
  if (trouble?.type === "status") {
    const { status, retryAfter } = trouble;
    const reply = refused(status, `trouble_${status}`, `AADSTS90${status}: Trouble.`);
    return {
      ...reply,
      ...(retryAfter !== undefined && { headers: { "retry-after": retryAfter } }),
    };
  }
  if (trouble) return troubled(trouble);
  return isIdentity ? identityToken(request, state) : applicationToken(request, state);
}

function configurationOf({ url, tenantId }: VaultState): unknown {
  return {
    issuer: `${url}/${tenantId}/v2.0`,
    authorization_endpoint: `${url}/${tenantId}/oauth2/v2.0/authorize`,
    token_endpoint: `${url}/${tenantId}/oauth2/v2.0/token`,
    end_session_endpoint: `${url}/${tenantId}/oauth2/v2.0/logout`,
    jwks_uri: `${url}/${tenantId}/discovery/v2.0/keys`,
  };
}

function applicationToken({ body, url }: VaultRequest, state: VaultState): Reply {
  const form = new URLSearchParams(body);
  const { clientId, clientSecret } = state.application;
  if (!url.pathname.startsWith(`/${state.tenantId}/`)) {
    return refused(400, "invalid_request", "AADSTS90002: Tenant not found.");
  }
  if (form.get("client_id") !== clientId) {
    return refused(400, "unauthorized_client", "AADSTS700016: Application was not found.");
  }
  if (form.get("client_secret") !== clientSecret) {
    return refused(401, "invalid_client", "AADSTS7000215: Invalid client secret provided.");
  }
  if (!form.get("scope")?.split(" ").includes(`${RESOURCE}/.default`)) {
    return refused(400, "invalid_scope", "AADSTS70011: The scope is not valid.");
  }
  const access_token = state.tokens.give();
  return {
    status: 200,
    body: { token_type: "Bearer", expires_in: LIFE_SECONDS, ext_expires_in: 0, access_token },
  };
}

function identityToken({ url, headers }: VaultRequest, state: VaultState): Reply {
  const isAppService = url.pathname.startsWith("/msi/token");
  const isAllowed = isAppService
    ? headers["x-identity-header"] === IDENTITY_HEADER
    : headers["metadata"] === "true";
  if (!isAllowed || url.searchParams.get("resource") !== RESOURCE) {
    return refused(400, "invalid_request", "Required metadata header or resource is missing.");
  }
  const expires = Math.floor(Date.now() / 1000) + LIFE_SECONDS;
  return {
    status: 200,
    body: {
      access_token: state.tokens.give(),
      expires_on: String(expires),
      expires_in: String(LIFE_SECONDS),
      resource: RESOURCE,
      token_type: "Bearer",
      client_id: url.searchParams.get("client_id") ?? "system",
    },
  };
}

function refused(status: number, error: string, description: string): Exclude<Reply, string> {
  return { status, body: { error, error_description: description, error_codes: [0] } };
}
