import { Hono } from "hono";
import type { PeopleSources } from "./people-sources.ts";
import { addUserRoutes } from "./user-routes.ts";

/** Serves the pages of administrators about users, teams and service accounts. */
export function createPeopleApp(sources: PeopleSources): Hono {
  const app = new Hono();
  addUserRoutes(app, sources);
  return app;
}
