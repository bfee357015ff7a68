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

/** Whether the first part of a repository names a registry. Each host name of Docker Hub does. */
export function isPrefixOf(registryName: string, firstPart: string): boolean {
  return registryPrefixOf(registryName) === registryNameOf({ host: firstPart });
}

/** Returns the name of a repository at a registry. Those of Docker Hub without a namespace are in
 * `library`. */
export function repositoryAtRegistry(registryName: string, name: string): string {
  const isBare = registryName === DOCKER_HUB && !name.includes("/");
  return isBare ? `library/${name}` : name;
}

/** Returns the address of the registry itself: clients of Docker Hub know other host names. */
export function registryUrlOf(url: URL): URL {
  if (!DOCKER_HUB_HOSTS.has(url.host)) return url;
  const changed = new URL(url);
  changed.host = "registry-1.docker.io";
  return changed;
}

/** Returns the name of a repository at a source. The path of the source's address precedes it. */
export function repositoryAtSource(
  source: Pick<PackageSource, "name" | "url">,
  name: string,
): string {
  const path = source.url.pathname.split("/").filter((part) => part !== "" && part !== "v2");
  const isOfHub = registryNameOf(source.url) === DOCKER_HUB;
  // The path of an address at Docker Hub is the namespace.
  const hasNamespace = isOfHub && path.length > 0;
  return [...path, hasNamespace ? name : nameWithinSource(source, name)].join("/");
}

/** Returns the name of a repository at the registries of a source, without the path of its URL. */
export function nameWithinSource(
  source: Pick<PackageSource, "name" | "url">,
  name: string,
): string {
  const isHub = registryNamesOf(source).includes(DOCKER_HUB);
  return isHub ? repositoryAtRegistry(DOCKER_HUB, name) : name;
}

/** Whether a name is one that clients of Docker Hub ask for: an image of its `library`. */
export function isNameOfHub(source: Pick<PackageSource, "name" | "url">, name: string): boolean {
  return registryNamesOf(source).includes(DOCKER_HUB) && name.startsWith("library/");
}
