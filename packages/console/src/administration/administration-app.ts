import { Hono } from "hono";
import { ADMINISTRATION_PAGES } from "../kit/page/page-paths.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import { SOURCES } from "./administration-page.ts";
import type { AdministrationSources } from "./model.ts";
import { addNameRoutes } from "./name-routes.ts";
import { addSourceRoutes } from "./source-routes.ts";

/** Serves the pages of administrators: package sources and names. */
export function createAdministrationApp(sources: AdministrationSources): Hono {
  const app = new Hono();
  app.get(ADMINISTRATION_PAGES, (c) =>
    shownPage(sources, c, ({ address }) => c.redirect(address.root + SOURCES, 303)),
  );
  addSourceRoutes(app, sources);
  addNameRoutes(app, sources);
  return app;
}
