import { Hono } from "hono";
import { addAccountPages } from "./account-routes.ts";
import type { PeopleSources } from "./people-sources.ts";
import { addTeamRoutes } from "./team-routes.ts";
import { addUserRoutes } from "./user-routes.ts";

/** Serves the pages of administrators about users, teams and service accounts. */
export function createPeopleApp(sources: PeopleSources): Hono {
  const app = new Hono();
  addUserRoutes(app, sources);
  addTeamRoutes(app, sources);
  addAccountPages(app, sources);
  return app;
}
