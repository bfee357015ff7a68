import { Hono } from "hono";
import type { From } from "../packages/packages-app.ts";
import type { Site } from "../packages/model.ts";
import { parsePublicAddress } from "../public-address.ts";
import type { TrustPage } from "./model.ts";
import { trustPageResponse } from "./trust-page.ts";

export type TrustPorts = {
  readonly site: (request: Request, env: unknown) => Site;
  /** Undefined = signing is off; there is no such page then. */
  readonly trust: (from: From) => Promise<TrustPage | undefined>;
};

/** How clients come to trust the signatures of this feed: `GET /trust`. */
export function createTrustApp(ports: TrustPorts): Hono {
  const app = new Hono();
  app.get("/trust", async (c) => {
    const site = ports.site(c.req.raw, c.env);
    const address = parsePublicAddress(site.address);
    if (!address) {
      return c.text("The host name of this request is not one that this registry answers to.", 400);
    }
    const page = await ports.trust({ request: c.req.raw, env: c.env });
    return page ? trustPageResponse(site, address, page) : c.notFound();
  });
  return app;
}
