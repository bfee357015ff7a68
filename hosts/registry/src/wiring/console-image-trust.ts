import type { SealKeys } from "@sealhouse/oci-distribution/seal";
import { Hono } from "hono";
import { cosignPublicKey, notationRoot } from "../sealing/public-halves.ts";

/** A replaced key takes effect at once. */
const PEM = { "content-type": "application/x-pem-file", "cache-control": "no-cache" };

/** What clients verify images with, below the page about trust; for everybody, as the key is. */
export function imageTrustApp(keys: SealKeys): Hono {
  const app = new Hono();
  app.get("/trust/images/cosign.pub", async (c) => c.body(await cosignPublicKey(keys), 200, PEM));
  app.get("/trust/images/notation.pem", async (c) => c.body(await notationRoot(keys), 200, PEM));
  return app;
}
