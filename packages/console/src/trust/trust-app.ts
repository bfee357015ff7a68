import { Hono } from "hono";
import type { Site } from "../kit/page/model.ts";
import type { From } from "../kit/page/shown-page.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import type { TrustPage } from "./model.ts";
import { trustPageResponse } from "./trust-page.ts";

/** Lookups of the trust page. */
export type TrustPorts = {
  readonly site: (request: Request, env: unknown) => Site;
  /** Returns the page contents; undefined when signing is disabled, and the page is then 404. */
  readonly trust: (from: From) => Promise<TrustPage | undefined>;
};

/** Serves instructions to trust the feed's signatures: `GET /trust`. */
export function createTrustApp(ports: TrustPorts): Hono {
  const app = new Hono();
  app.get("/trust", (c) =>
    shownPage(ports, c, async ({ site, address, from }) => {
      const page = await ports.trust(from);
      return page ? trustPageResponse(site, address, page) : c.notFound();
    }),
  );
  return app;
}
