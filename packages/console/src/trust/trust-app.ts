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

/** `no-cache`, because clients must see a rotated key at once. */
const PEM = { "content-type": "application/x-pem-file", "cache-control": "no-cache" };

/** The public keys of image signatures, as PEM. */
export type ImageKeys = {
  readonly cosignPublicKey: () => Promise<string>;
  readonly notationRoot: () => Promise<string>;
};

/** Serves the public keys that verify images. Needs no authentication. */
export function createImageKeysApp(keys: ImageKeys): Hono {
  const app = new Hono();
  app.get("/trust/images/cosign.pub", async (c) => c.body(await keys.cosignPublicKey(), 200, PEM));
  app.get("/trust/images/notation.pem", async (c) => c.body(await keys.notationRoot(), 200, PEM));
  return app;
}
