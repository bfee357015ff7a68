import type { NuGetClient } from "@sealhouse/nuget-protocol/client";
import { openNuGetClient } from "@sealhouse/nuget-protocol/client";
import type { PackageSource } from "../../sources/package-source.ts";
import type { Mirror } from "../mirror.ts";
import { PATIENCE } from "../patience.ts";

/** Returns the client of a source: always the same, because it remembers the service index. */
export type ClientOf = (source: PackageSource) => NuGetClient;

/** Changes of sources are rare. */
const CLIENTS_MAX = 100;

export function createSourceClients(mirror: Pick<Mirror, "fetchOf">, now: () => Date): ClientOf {
  const clients = new Map<string, NuGetClient>();
  return (source) => {
    const { name, url, credentials, settings } = source;
    const key = JSON.stringify([name, url.href, credentials, settings]);
    const client =
      clients.get(key) ??
      openNuGetClient({
        source: url,
        fetch: mirror.fetchOf(source),
        credentials,
        alsoTrusted: settings.credentialOrigins,
        documentBytesMax: settings.maxDocumentBytes,
        documentTimeoutMs: 2 * settings.firstByteTimeoutMs,
        idleTimeoutMs: settings.firstByteTimeoutMs,
        patience: PATIENCE,
        now,
      });
    const [oldest] = clients.keys();
    if (clients.size >= CLIENTS_MAX && oldest !== undefined) clients.delete(oldest);
    clients.set(key, client);
    return client;
  };
}
