import { Hono } from "hono";

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
