import { cacheFor } from "@sealhouse/http-server";
import { Hono } from "hono";

/**
 * Returns an app whose routes are loaded by its first request. When loading fails, that request
 * fails, and the next request loads again.
 */
export function loadedApp(load: () => Promise<Hono>): Hono {
  const loaded = cacheFor(Number.POSITIVE_INFINITY, load);
  const app = new Hono();
  app.all("*", async (c) => (await loaded()).fetch(c.req.raw, c.env));
  return app;
}
