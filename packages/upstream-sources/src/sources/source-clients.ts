import type { Fetch, Patience } from "@sealhouse/http-responses/outgoing";
import { openNpmClient } from "@sealhouse/npm-protocol/client";
import type { NpmClient } from "@sealhouse/npm-protocol/client";
import { openNuGetClient } from "@sealhouse/nuget-protocol/client";
import type { NuGetClient } from "@sealhouse/nuget-protocol/client";
import { openOciClient } from "@sealhouse/oci-distribution/client";
import type { OciClient } from "@sealhouse/oci-distribution/client";
import type { PackageSource } from "./package-source.ts";
import { registryUrlOf } from "./registry-name.ts";
import { loginOf, withSecretHeaders } from "./source-credentials.ts";

// The mirror, `source test` and `source conflicts` open clients here, so that they have the same
// addresses, credentials and limits. No client needs closing.

/** The calls of a client to a source. */
export type SourceCalls = {
  /** Adds the secret headers of the source. */
  readonly fetch: Fetch;
  readonly patience: Patience;
  readonly now?: () => Date;
};

/** Opens a client of a NuGet feed. */
export function openNuGetSource(source: PackageSource, calls: SourceCalls): NuGetClient {
  const { url, credentials, settings } = source;
  return openNuGetClient({
    ...calls,
    source: url,
    credentials: credentials?.type === "headers" ? undefined : credentials,
    alsoTrusted: settings.credentialOrigins,
    documentBytesMax: settings.maxDocumentBytes,
    documentTimeoutMs: 2 * settings.firstByteTimeoutMs,
    idleTimeoutMs: settings.firstByteTimeoutMs,
  });
}

/** Opens a client of an npm registry. */
export function openNpmSource(source: PackageSource, calls: SourceCalls): NpmClient {
  const { url, credentials, settings } = source;
  return openNpmClient({
    ...calls,
    registry: url,
    credentials: loginOf(credentials),
    alsoTrusted: settings.credentialOrigins,
    documentBytesMax: settings.maxDocumentBytes,
    idleTimeoutMs: settings.firstByteTimeoutMs,
  });
}

/** Origins of the token services of registries that have them elsewhere. */
const KNOWN_REALMS: Readonly<Record<string, string>> = {
  "https://registry-1.docker.io": "https://auth.docker.io",
  "https://registry.gitlab.com": "https://gitlab.com",
};

/** Opens a client of an image registry. */
export function openImageSource(source: PackageSource, calls: SourceCalls): OciClient {
  const { firstByteTimeoutMs, tokenRealms, credentialOrigins } = source.settings;
  const registry = new URL("/", registryUrlOf(source.url));
  const known = KNOWN_REALMS[registry.origin];
  return openOciClient({
    ...calls,
    registry,
    credentials: loginOf(source.credentials),
    tokenRealms: new Set([...tokenRealms, ...credentialOrigins, ...(known ? [known] : [])]),
    documentTimeoutMs: firstByteTimeoutMs,
    idleTimeoutMs: firstByteTimeoutMs,
  });
}

/** A client of a source, for questions of an operator. */
export type SourceClient =
  | { readonly protocol: "nuget"; readonly client: NuGetClient }
  | { readonly protocol: "npm"; readonly client: NpmClient }
  | { readonly protocol: "oci"; readonly client: OciClient };

const ONCE: Patience = { attemptsMax: 1, waitMaxMs: 0 };

/** Opens a client that makes each call once. */
export function openSourceClient(source: PackageSource, plainFetch: Fetch): SourceClient {
  const { protocol } = source;
  const calls = { fetch: withSecretHeaders(source, plainFetch), patience: ONCE };
  switch (protocol) {
    case "nuget":
      return { protocol, client: openNuGetSource(source, calls) };
    case "npm":
      return { protocol, client: openNpmSource(source, calls) };
    case "oci":
      return { protocol, client: openImageSource(source, calls) };
  }
}
