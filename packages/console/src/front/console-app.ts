import { Hono } from "hono";
import { frontPageResponse } from "./front-page.ts";
import type { FrontPageModel } from "./model.ts";
import { parsePublicAddress } from "../kit/page/public-address.ts";

/** Lookups of the front page. */
export type ConsolePorts = {
  /** Returns the contents of the front page for the caller of the request. */
  readonly page: (request: Request, env: unknown) => Promise<FrontPageModel>;
};

/** Serves the front page: `GET /`. */
export function createConsoleApp(ports: ConsolePorts): Hono {
  const app = new Hono();
  app.get("/", async (c) => {
    const model = await ports.page(c.req.raw, c.env);
    const address = parsePublicAddress(model.address);
    if (!address) {
      return c.text("The host name of this request is not one that this registry answers to.", 400);
    }
    return frontPageResponse(model, address);
  });
  return app;
}
