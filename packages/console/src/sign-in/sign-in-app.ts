import { Hono } from "hono";
import type { Site } from "../kit/model.ts";
import { shownPage } from "../kit/shown-page.ts";
import type { SignInPage } from "./model.ts";
import { signInPageResponse } from "./sign-in-page.ts";

/** Data source of the sign-in page. */
export type SignInPorts = {
  readonly site: (request: Request, env: unknown) => Site;
  /** Finds a sign-in by its code; undefined when the code is unknown or expired. */
  readonly waiting: (code: string) => Promise<SignInPage | undefined>;
};

/** Serves the page that npm opens while it waits for the operator: `GET /sign-in/{code}`. */
export function createSignInApp(ports: SignInPorts): Hono {
  const app = new Hono();
  app.get("/sign-in/:code", (c) =>
    shownPage(ports, c, async ({ site, address }) =>
      signInPageResponse(site, address, await ports.waiting(c.req.param("code"))),
    ),
  );
  return app;
}
