import { Hono } from "hono";
import { ACTIONS } from "../administration/administration-page.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import type { ActionSources } from "./action-sources.ts";

/**
 * Serves a page for each action of administrators, and the reference of their HTTP API. The
 * schemas of the actions are loaded by the first request.
 */
export function createActionApp(sources: ActionSources): Hono {
  const app = new Hono();
  const load = () => import("./action-routes.ts");
  app.get("/api", (c) =>
    shownPage(sources, c, async (shown) => {
      const { apiPage } = await import("./api-page.ts");
      return apiPage(shown, await sources.actions.load());
    }),
  );
  app.get(ACTIONS, async (c) => (await load()).listActions(sources, c));
  app.get(`${ACTIONS}/:id`, async (c) => (await load()).showAction(sources, c));
  app.post(`${ACTIONS}/:id`, async (c) => (await load()).takeAction(sources, c));
  return app;
}
