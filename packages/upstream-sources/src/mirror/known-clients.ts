import { BoundedCache } from "@sealhouse/bounded-cache";
import type { PackageSource } from "../sources/package-source.ts";

const CLIENTS_MAX = 1_000;

/** Returns a function that opens clients, and returns the same client, with its tokens and its
 * service index, until the source changes. */
export function rememberClients<Client>(
  open: (source: PackageSource) => Client,
): (source: PackageSource) => Client {
  const clients = new BoundedCache<string, Client>({ entries: CLIENTS_MAX });
  // Lists of sources stay the same for a while.
  const latest = new WeakMap<PackageSource, Client>();
  const clientOf = (source: PackageSource): Client => {
    const { name, url, credentials, settings } = source;
    // Tokens belong to the credentials that they were got with.
    const key = JSON.stringify([name, url.href, credentials, settings]);
    return clients.remember(key, () => open(source));
  };
  return (source) => {
    const client = latest.get(source) ?? clientOf(source);
    latest.set(source, client);
    return client;
  };
}
