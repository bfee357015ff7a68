import type { Fetch } from "@sealhouse/http-responses/outgoing";
import { openNpmClient } from "@sealhouse/npm-protocol/client";
import type { NpmClient } from "@sealhouse/npm-protocol/client";
import { openNuGetClient } from "@sealhouse/nuget-protocol/client";
import type { NuGetClient } from "@sealhouse/nuget-protocol/client";
import { openOciClient } from "@sealhouse/oci-distribution/client";
import type { OciClient } from "@sealhouse/oci-distribution/client";
import type { PackageSource } from "./package-source.ts";
import { loginOf, withSecretHeaders } from "./source-credentials.ts";

/** A client of a source, for questions of an operator. */
export type SourceClient =
  | { readonly protocol: "nuget"; readonly client: NuGetClient }
  | { readonly protocol: "npm"; readonly client: NpmClient }
  | { readonly protocol: "oci"; readonly client: OciClient };

/** Opens a client that makes each call once. It needs no closing. */
export function openSourceClient(source: PackageSource, plainFetch: Fetch): SourceClient {
  const { protocol, url, settings, credentials } = source;
  const fetch = withSecretHeaders(source, plainFetch);
  const patience = { attemptsMax: 1, waitMaxMs: 0 };
  const alsoTrusted = settings.credentialOrigins;
  const idleTimeoutMs = settings.firstByteTimeoutMs;
  const options = { fetch, patience, alsoTrusted, idleTimeoutMs };
  switch (protocol) {
    case "nuget": {
      const own = credentials?.type === "headers" ? undefined : credentials;
      return { protocol, client: openNuGetClient({ ...options, source: url, credentials: own }) };
    }
    case "npm":
      return {
        protocol,
        client: openNpmClient({ ...options, registry: url, credentials: loginOf(credentials) }),
      };
    case "oci":
      return {
        protocol,
        client: openOciClient({
          fetch,
          registry: url,
          credentials: loginOf(credentials),
          idleTimeoutMs,
        }),
      };
  }
}
