import type { Settings } from "./settings.ts";

export type HostNameOptions = {
  readonly key: string;
  /** Lower-case, without port. */
  readonly names: readonly string[];
  /** The protocol at the root of these names: `npm`. */
  readonly what: string;
  /** Where it is at the main address: `/npm`. */
  readonly path: string;
  /** Lower-case host names with their own target, each with the key that defines it. */
  readonly taken: Map<string, string>;
};

/** Host names that are one part's own, and that become `taken`. Pages, and whatever else there is,
 * are not at these names, so the address of all that must be known. */
export function parseHostNames(
  settings: Settings,
  publicBaseUrls: readonly string[],
  { key, names: allNames, what, path, taken }: HostNameOptions,
): readonly string[] {
  const names = [...new Set(allNames)];
  if (names.length === 0) return [];
  if (publicBaseUrls.length === 0) {
    settings.problem(key, `needs Feed__PublicBaseUrl, the address of everything but ${what}`);
  }
  const mainHosts = new Set(publicBaseUrls.map((url) => new URL(url).hostname));
  for (const name of names) {
    const other = taken.get(name);
    if (mainHosts.has(name)) {
      settings.problem(
        key,
        `"${name}" is the host of Feed__PublicBaseUrl too, where ${what} stands at ${path}; ` +
          "allowed: other names of this host",
      );
    } else if (other !== undefined) {
      settings.problem(key, `"${name}" is also in ${other}; allowed: a different name`);
    }
    taken.set(name, key);
  }
  return names;
}
