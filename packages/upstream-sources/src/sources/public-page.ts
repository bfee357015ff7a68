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
 * Returns the web page of a name at the public registry that its first source is. Undefined when no
 * source is for the name, or the first one has no known pages. Does not ask the source.
 */
export function publicPageOf(
  sources: readonly PackageSource[],
  wantedName: WantedName,
): string | undefined {
  const [first] = sourcesFor(sources, wantedName);
  const page = first && PAGES.get(first.url.hostname);
  return page && PLAIN.test(wantedName.name) ? page(wantedName.name) : undefined;
}
