import type { TokenRequest, TokenScope } from "./ports.ts";

/** Maximum number of scopes in a token request; clients send fewer. */
export const MAX_TOKEN_SCOPES = 100;

export type AskedToken = Pick<TokenRequest, "grant" | "scopes" | "offline" | "client">;

/** Parses `GET /token?service=…&scope=…`. Credentials, if any, are in the Basic header. */
export function parseTokenQuery(query: URLSearchParams): AskedToken {
  return {
    grant: { type: "header" },
    scopes: scopesOf(query),
    offline: query.get("offline_token") === "true",
    client: query.get("client_id") ?? "",
  };
}

/** Whether a read of this URL creates a refresh token: `GET /token?offline_token=true`. The path is
 * not compared, because it may be percent-encoded. */
export function createsRefreshToken(url: string): boolean {
  const query = url.indexOf("?");
  return query !== -1 && parseTokenQuery(new URLSearchParams(url.slice(query))).offline;
}

/** Parses the form of `POST /token`; undefined for an unknown grant or missing fields. */
export function parseTokenForm(form: URLSearchParams): AskedToken | undefined {
  const grant = grantOf(form);
  if (!grant) return undefined;
  return {
    grant,
    scopes: scopesOf(form),
    offline: form.get("access_type") === "offline",
    client: form.get("client_id") ?? "",
  };
}

/**
 * Parses `type:name:actions`; undefined for other text. The type ends at the first colon and the
 * actions begin after the last, because names may contain a port.
 */
export function parseScope(text: string): TokenScope | undefined {
  const first = text.indexOf(":");
  const last = text.lastIndexOf(":");
  if (first < 1 || last === first) return undefined;
  const actions = text.slice(last + 1).split(",");
  return {
    type: text.slice(0, first),
    name: text.slice(first + 1, last),
    actions: [...new Set(actions.filter((action) => action !== ""))],
  };
}

/** Returns all scopes; they may be repeated parameters, separated by spaces, or both. Ignores
 * invalid scopes, which grant nothing. */
function scopesOf(query: URLSearchParams): readonly TokenScope[] {
  return query
    .getAll("scope")
    .flatMap((text) => text.split(" "))
    .map(parseScope)
    .filter((scope) => scope !== undefined);
}

function grantOf(form: URLSearchParams): TokenRequest["grant"] | undefined {
  const username = form.get("username");
  const password = form.get("password");
  const refreshToken = form.get("refresh_token");
  switch (form.get("grant_type")) {
    case "password":
      if (username === null || password === null) return undefined;
      return { type: "password", username, password };
    case "refresh_token":
      return refreshToken === null ? undefined : { type: "refresh_token", refreshToken };
    default:
      return undefined;
  }
}
