import type { ObjectStore } from "./object-store.ts";
import { STORE_MARKER } from "./store-marker.ts";

const EXPIRES_IN_MS = 60_000;

/** A warning when clients would send their tokens to the store. */
export async function redirectWarnings(
  {
    storage,
    feed,
  }: { readonly storage: { readonly redirectsDownloads: boolean }; readonly feed: RegistryNames },
  store: Pick<ObjectStore, "presign">,
): Promise<readonly string[]> {
  if (!storage.redirectsDownloads || !store.presign) return [];
  // `/health` reports a store that refuses its credentials.
  const url = await store
    .presign(STORE_MARKER, { expiresInMs: EXPIRES_IN_MS })
    .catch(() => undefined);
  if (url === undefined) return [];
  const { hostname } = new URL(url);
  const ownNames = [
    ...feed.publicBaseUrls.map((base) => new URL(base).hostname),
    ...feed.npm.hostNames,
  ];
  return ownNames.includes(hostname) ? [sameHost(hostname)] : [];
}

type RegistryNames = {
  readonly publicBaseUrls: readonly string[];
  readonly npm: { readonly hostNames: readonly string[] };
};

function sameHost(hostname: string): string {
  return (
    `Storage__RedirectDownloads: the storage has the host name of the registry, ${hostname}. npm ` +
    "and yarn 1 send their tokens to every port of that name, so the storage receives them. Give " +
    "one of the two another host name."
  );
}
