import type { TokenRequest, TokenScope } from "./ports.ts";

/** More scopes than this are more than any client asks for. */
export const MAX_TOKEN_SCOPES = 100;

export type AskedToken = Pick<TokenRequest, "grant" | "scopes" | "offline" | "client">;

/** `GET /token?service=…&scope=…`, with Basic credentials in the header or none at all. */
export function parseTokenQuery(query: URLSearchParams): AskedToken {
  return {
    grant: { type: "header" },
    scopes: scopesOf(query),
    offline: query.get("offline_token") === "true",
    client: query.get("client_id") ?? "",
  };
}

/** The form of `POST /token`. Undefined for a grant that does not exist or lacks its fields. */
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
 * `type:name:actions`: the type ends at the first colon and the actions begin after the last,
 * because names may hold a port. Undefined for anything else.
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

/** Repeated, parted by spaces, or both. One that cannot be read grants nothing, as one that is
 * not known does. */
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
