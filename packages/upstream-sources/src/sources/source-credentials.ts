import type { Fetch } from "@sealhouse/http-responses/outgoing";
import type { PackageSource, SourceCredentials } from "./package-source.ts";

/** Name and password, or a token; an API key is a token, except for NuGet. */
export function loginOf(credentials: SourceCredentials | undefined) {
  switch (credentials?.type) {
    case "basic":
    case "bearer":
      return credentials;
    case "api-key":
      return { type: "bearer", token: credentials.key } as const;
    case "headers":
    case undefined:
      return undefined;
  }
}

/** Adds the secret headers of a source to calls to its origins; others do not get them, not even
 * after a redirect. */
export function withSecretHeaders(
  { url, credentials, settings }: PackageSource,
  fetch: Fetch,
): Fetch {
  if (credentials?.type !== "headers") return fetch;
  const { headers: secrets } = credentials;
  const origins = new Set([url.origin, ...settings.credentialOrigins]);
  return (target, init) => {
    if (!origins.has(target.origin)) return fetch(target, init);
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(secrets)) headers.set(name, value);
    return fetch(target, { ...init, headers });
  };
}
