import type { Fetch } from "@sealhouse/http-responses/outgoing";
import type { OciClient } from "@sealhouse/oci-distribution/client";
import { openOciClient } from "@sealhouse/oci-distribution/client";
import type { PackageSource } from "../../sources/package-source.ts";
import { registryUrlOf } from "../../sources/registry-name.ts";
import type { Mirror } from "../mirror.ts";
import { loginOf } from "../../sources/source-credentials.ts";
import { PATIENCE } from "../patience.ts";

/** Clients of the registries that images are mirrored from. */
export type ImageRegistries = {
  /** Returns the same client, with its tokens, until the source changes. */
  of(source: PackageSource): OciClient;
};

/** Origins of the token services of registries that have them elsewhere. */
const KNOWN_REALMS: Readonly<Record<string, string>> = {
  "https://registry-1.docker.io": "https://auth.docker.io",
  "https://registry.gitlab.com": "https://gitlab.com",
};

const CLIENTS_MAX = 1_000;

export function createImageRegistries(
  mirror: Pick<Mirror, "fetchOf">,
  now: () => Date,
): ImageRegistries {
  const clients = new Map<string, OciClient>();
  return {
    of(source) {
      // Tokens belong to the credentials that they were got with.
      const key = JSON.stringify([
        source.name,
        source.url.href,
        source.credentials,
        source.settings,
      ]);
      const known = clients.get(key);
      if (known) return known;
      const opened = openClient(source, mirror.fetchOf(source), now);
      if (clients.size >= CLIENTS_MAX) clients.clear();
      clients.set(key, opened);
      return opened;
    },
  };
}

function openClient(source: PackageSource, fetch: Fetch, now: () => Date): OciClient {
  const { firstByteTimeoutMs, tokenRealms, credentialOrigins } = source.settings;
  const registry = new URL("/", registryUrlOf(source.url));
  const known = KNOWN_REALMS[registry.origin];
  return openOciClient({
    registry,
    fetch,
    credentials: loginOf(source.credentials),
    tokenRealms: new Set([...tokenRealms, ...credentialOrigins, ...(known ? [known] : [])]),
    patience: PATIENCE,
    documentTimeoutMs: firstByteTimeoutMs,
    idleTimeoutMs: firstByteTimeoutMs,
    now,
  });
}
