import type { NpmSearch } from "@sealhouse/npm-protocol";
import type { Mirror } from "../mirror.ts";

/** Search without the packages of sources with `CacheOnly`, or without those of any source. */
export function mirroredSearch(
  search: NpmSearch,
  {
    mirror,
    includesMirrored,
  }: { readonly mirror: Pick<Mirror, "unlisted">; readonly includesMirrored: boolean },
): NpmSearch {
  return {
    async search(query) {
      const notFrom = includesMirrored ? await mirror.unlisted("npm") : "all";
      return search.search({ ...query, notFrom });
    },
  };
}
