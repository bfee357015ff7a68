import type { PackageSource } from "./package-source.ts";
import { sourcesFor } from "./sources-for.ts";
import type { WantedName } from "./sources-for.ts";

/** The public registries whose packages have web pages, by the host name of their sources. */
const PAGES: ReadonlyMap<string, (name: string) => string> = new Map([
  ["api.nuget.org", (id) => `https://www.nuget.org/packages/${encodeURIComponent(id)}`],
  ["registry.npmjs.org", (name) => `https://www.npmjs.com/package/${name}`],
]);
/** Names that need no escapes in the path of a page. */
const PLAIN = /^(?:@[\w.~-]+\/)?[\w.~-]+$/;

/**
 * Returns the web pages of names at the public registry that their first source is. Omits names
 * that no source is for, and those whose first source has no known pages. Asks no source.
 */
export function publicPagesOf(
  sources: readonly PackageSource[],
  protocol: WantedName["protocol"],
  names: readonly string[],
): ReadonlyMap<string, string> {
  return new Map(
    names.flatMap((name): readonly (readonly [string, string])[] => {
      const [first] = sourcesFor(sources, { protocol, name });
      const page = first && PAGES.get(first.url.hostname);
      return page && PLAIN.test(name) ? [[name, page(name)]] : [];
    }),
  );
}
