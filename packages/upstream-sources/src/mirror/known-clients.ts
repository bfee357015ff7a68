import type { PackageSource } from "../sources/package-source.ts";

const CLIENTS_MAX = 1_000;

/** Returns a function that opens clients, and returns the same client, with its tokens and its
 * service index, until the source changes. */
export function rememberClients<Client>(
  open: (source: PackageSource) => Client,
): (source: PackageSource) => Client {
  const clients = new Map<string, Client>();
  return (source) => {
    const { name, url, credentials, settings } = source;
    // Tokens belong to the credentials that they were got with.
    const key = JSON.stringify([name, url.href, credentials, settings]);
    const known = clients.get(key);
    if (known) return known;
    const opened = open(source);
    const [oldest] = clients.keys();
    if (clients.size >= CLIENTS_MAX && oldest !== undefined) clients.delete(oldest);
    clients.set(key, opened);
    return opened;
  };
}
