import type { FeaturePages, PageParts } from "../feature.ts";
import { placesOf } from "./name-places.ts";
import type { PagesCore } from "./pages-core.ts";

/** Composes the data sources of the pages of npm packages. */
export function npmPages(core: PagesCore, { site, rules }: PageParts): FeaturePages["npmPages"] {
  const { resources, content } = core;
  return {
    site,
    rules,
    npm: resources.database.npm,
    verifyBundle: content.verifyBundle,
    withheld: content.mirrored.npm.refused,
    places: placesOf(core, "npm"),
  };
}
