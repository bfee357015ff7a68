import type { ExchangeOptions } from "@sealhouse/http-responses/outgoing";

export type NpmCredentials =
  | { readonly type: "bearer"; readonly token: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string };

/** Headers with credentials, for requests to the registry itself. */
export function secretsOf(credentials: NpmCredentials | undefined): ExchangeOptions["secrets"] {
  const headers = credentials === undefined ? {} : { authorization: authorizationOf(credentials) };
  return () => headers;
}

function authorizationOf(credentials: NpmCredentials): string {
  if (credentials.type === "bearer") return `Bearer ${credentials.token}`;
  const pair = `${credentials.username}:${credentials.password}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}
