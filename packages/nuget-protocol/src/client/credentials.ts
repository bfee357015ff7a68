import type { ExchangeOptions } from "@sealhouse/http-responses/outgoing";

export type Credentials =
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "bearer"; readonly token: string }
  /** Sent as `X-NuGet-ApiKey`, including reads. */
  | { readonly type: "api-key"; readonly key: string }
  /** Headers by lower-case name. */
  | { readonly type: "headers"; readonly headers: Readonly<Record<string, string>> };

/** Headers with credentials, for requests to the feed itself. */
export function secretsOf(options: {
  readonly credentials: Credentials | undefined;
  readonly apiKey: string | undefined;
}): ExchangeOptions["secrets"] {
  const { credentials, apiKey } = options;
  return (method) => ({
    ...(credentials && headerOf(credentials)),
    ...(apiKey !== undefined && method !== "GET" && { "x-nuget-apikey": apiKey }),
  });
}

function headerOf(credentials: Credentials): Readonly<Record<string, string>> {
  switch (credentials.type) {
    case "bearer":
      return { authorization: `Bearer ${credentials.token}` };
    case "api-key":
      return { "x-nuget-apikey": credentials.key };
    case "headers":
      return credentials.headers;
    case "basic": {
      const pair = `${credentials.username}:${credentials.password}`;
      return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
    }
  }
}
