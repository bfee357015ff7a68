import type { NamePlaces } from "@sealhouse/console";
import { publicPagesOf } from "@sealhouse/upstream-sources";
import type { PagesCore } from "./pages-core.ts";

/** Links of the names that a page shows: to pages of this registry, or of a public source. */
export function placesOf({ resources, content }: PagesCore, protocol: "nuget" | "npm"): NamePlaces {
  return {
    present: (names) => resources.database.presentNames(protocol, names),
    sourcePages: async (names) =>
      publicPagesOf(await content.mirror.enabled(protocol), protocol, names),
  };
}
