// Reads the packages of a `pnpm-lock.yaml`, without a YAML library: the tools have none.

/** Versions by package name. */
export type LockedPackages = ReadonlyMap<string, ReadonlySet<string>>;

const KEY = /^ {2}'?(?<name>(?:@[^@/'\s]+\/)?[^@/'\s]+)@(?<version>\d[^'():\s]*)'?:$/;

/**
 * Reads the keys of `packages:`, such as `'@acme/a@1.2.0':`.
 * @throws {Error} for another lock file format, for a key that has no version of a registry, and
 * for a lock file without packages
 */
export function lockedPackages(text: string): LockedPackages {
  const lines = text.split(/\r?\n/);
  if (!lines.some((line) => /^lockfileVersion: '?9\./.test(line))) {
    throw new Error("the lock file does not have format 9 of pnpm");
  }
  const packages = new Map<string, Set<string>>();
  let section = "";
  for (const line of lines) {
    if (/^\S/.test(line)) section = line;
    else if (section === "packages:" && /^ {2}\S/.test(line)) {
      const { name = "", version = "" } = KEY.exec(line)?.groups ?? {};
      if (name === "") throw new Error(`the lock file has a package without a version: ${line}`);
      packages.set(name, (packages.get(name) ?? new Set()).add(version));
    }
  }
  if (packages.size === 0) throw new Error("the lock file has no packages");
  return packages;
}
