import type { PackageSource } from "./package-source.ts";

const DOCKER_HUB = "docker.io";
const DOCKER_HUB_HOSTS: ReadonlySet<string> = new Set([
  "docker.io",
  "index.docker.io",
  "registry-1.docker.io",
]);

/** Returns the name of a registry by which clients know it: its host with the port, and `docker.io`
 * for all host names of Docker Hub. */
export function registryNameOf({ host }: Pick<URL, "host">): string {
  return DOCKER_HUB_HOSTS.has(host) ? DOCKER_HUB : host;
}

/** Returns the names of the registries that a source is for. A source that has the name of a
 * registry, such as `docker.io`, may have the address of another one, which mirrors that. */
export function registryNamesOf({ name, url }: Pick<PackageSource, "name" | "url">): string[] {
  const own = name.includes(".") ? [registryNameOf({ host: name.toLowerCase() })] : [];
  return [registryNameOf(url), ...own];
}

/** Returns the registry that the `ns` of a request names; undefined for other text. It is never an
 * address. */
export function registryNameIn(text: string): string | undefined {
  const name = text.toLowerCase();
  if (!/^[a-z0-9]+(?:[.-][a-z0-9]+)*(?::\d{1,5})?$/.test(name)) return undefined;
  // As addresses have it.
  return registryNameOf({ host: name.replace(/:(?:80|443)$/, "") });
}

/** Returns the first part of the repositories of a registry here, which must not have a colon. */
export function registryPrefixOf(registryName: string): string {
  return registryName.replaceAll(/[^a-z0-9.]+/g, "-").replaceAll(/^-|-$/g, "");
}

/** Returns the address of the registry itself: clients of Docker Hub know other host names. */
export function registryUrlOf(url: URL): URL {
  if (!DOCKER_HUB_HOSTS.has(url.host)) return url;
  const changed = new URL(url);
  changed.host = "registry-1.docker.io";
  return changed;
}

/**
 * Returns the name of a repository at a source. The path of the source's address precedes it.
 * Repositories of Docker Hub without a namespace are in `library`.
 */
export function repositoryAtSource({ url }: { readonly url: URL }, name: string): string {
  const path = url.pathname.split("/").filter((part) => part !== "" && part !== "v2");
  const parts = [...path, ...name.split("/")];
  const isBare = registryNameOf(url) === DOCKER_HUB && parts.length === 1;
  return (isBare ? ["library", ...parts] : parts).join("/");
}
