import type { Hono } from "hono";
import type { ActionSources } from "./actions/action-sources.ts";
import { ADMINISTRATION_PAGES } from "./kit/page/page-paths.ts";

/**
 * Adds the screens of administrators, and the forms of actions. Both, and the schemas that they are
 * made of, are loaded by their first request.
 */
export function addScreens(app: Hono, sources: ActionSources): void {
  let opened: Promise<Hono> | undefined;
  const open = async () => {
    const { createScreensApp } = await import("./actions/screens-app.ts");
    return createScreensApp(sources, (await import("./screens.ts")).SCREENS);
  };
  app.all(`${ADMINISTRATION_PAGES}/*`, async (c) => {
    // The next request tries again.
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return (await opened).fetch(c.req.raw, c.env);
  });
}
