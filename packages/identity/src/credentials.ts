/** The credentials of a request. */
export type Credentials =
  | { readonly type: "none" }
  | {
      readonly type: "secret";
      /** An API token, or an OCI bearer token when `via` is `bearer`. */
      readonly secret: string;
      readonly via: "api-key" | "basic" | "bearer";
      /** User name of Basic authentication; not verified. */
      readonly username?: string;
    }
  /** The request contains credentials in an invalid form. */
  | { readonly type: "unreadable" };

const NONE: Credentials = { type: "none" };
const UNREADABLE: Credentials = { type: "unreadable" };
const HEADER_MAX = 16_384;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Reads the token from a request of any protocol. It reads `X-NuGet-ApiKey`, else `Authorization`
 * with `Bearer` or `Basic`. With `Basic`, the token is the password and the user name is ignored.
 * An empty key or password and an unknown scheme count as no credentials; .NET sends `Basic Og==`
 * for them.
 */
export function readCredentials(headers: Pick<Headers, "get">): Credentials {
  const apiKey = headers.get("x-nuget-apikey")?.trim();
  if (apiKey) return secretOf(apiKey, "api-key");
  const authorization = headers.get("authorization")?.trim();
  if (!authorization) return NONE;
  const [, scheme = "", value = ""] = /^(\S+)\s*(.*)$/s.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case "bearer":
      return value === "" ? NONE : secretOf(value, "bearer");
    case "basic":
      return basicOf(value);
    default:
      return NONE;
  }
}

function secretOf(secret: string, via: "api-key" | "bearer"): Credentials {
  return secret.length > HEADER_MAX ? UNREADABLE : { type: "secret", secret, via };
}

function basicOf(value: string): Credentials {
  if (value === "") return NONE;
  if (value.length > HEADER_MAX || !BASE64.test(value)) return UNREADABLE;
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) return UNREADABLE;
  const [username, password] = [text.slice(0, colon), text.slice(colon + 1)];
  // `https://token@host/` puts the token before the colon.
  const secret = password === "" ? username : password;
  return secret === "" ? NONE : { type: "secret", secret, via: "basic", username };
}
