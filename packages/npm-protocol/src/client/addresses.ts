/** Where a registry answers what. Names stand as clients write them: `@acme%2fdemo`. */
export type Addresses = {
  package(name: string): URL;
  /** One version, or what a tag points to. */
  version(name: string, versionOrTag: string): URL;
  /** Where the registry keeps the file itself; `dist.tarball` may say otherwise. */
  tarball(name: string, file: string): URL;
  /** Paths below `/-/`. */
  endpoint(path: string): URL;
  distTags(name: string, tag?: string): URL;
  /** Where versions of a package are staged. */
  stage(name: string): URL;
  /** One staged version. */
  staged(stageId: string): URL;
};

/** `registry` with or without a slash at its end. */
export function addressesBelow(registry: URL): Addresses {
  const base = new URL(registry);
  base.search = "";
  base.hash = "";
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  const below = (path: string) => new URL(`${base.href}${path}`);
  return {
    package: (name) => below(escaped(name)),
    version: (name, version) => below(`${escaped(name)}/${encodeURIComponent(version)}`),
    tarball: (name, file) => below(`${name}/-/${file}`),
    endpoint: (path) => below(`-/${path}`),
    stage: (name) => below(`-/stage/package/${escaped(name)}`),
    staged: (stageId) => below(`-/stage/${encodeURIComponent(stageId)}`),
    distTags(name, tag) {
      const tags = `-/package/${escaped(name)}/dist-tags`;
      return below(tag === undefined ? tags : `${tags}/${encodeURIComponent(tag)}`);
    },
  };
}

/** A package name in one segment of a path. */
export function escaped(name: string): string {
  return name.replace("/", "%2f");
}
