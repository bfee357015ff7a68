import { randomUUID } from "node:crypto";
import { BodyCutError, BodyTooLargeError, answerThenDrain } from "@sealhouse/http-responses";
import type { Context } from "hono";
import { Hono } from "hono";
import { sendError } from "./answer.ts";
import type { Call, Registry } from "./call.ts";
import { OciError } from "./errors.ts";
import type { OciPorts } from "./ports.ts";
import { createPullCounter } from "./pull-counter.ts";
import type { Route } from "./route.ts";
import { parseRoute, rawPathOf } from "./route.ts";
import { answerBlob } from "./routes/blob.ts";
import { answerCatalog, answerPing, answerReferrers, answerTags } from "./routes/listing.ts";
import { answerManifest } from "./routes/manifest.ts";
import { answerToken } from "./routes/token.ts";
import { answerUpload, startUpload } from "./routes/upload.ts";

export type OciOptions = {
  /** Names this registry in challenges; tokens are issued for it. */
  readonly service: string;
  /** Larger blobs are refused with 413. One tebibyte when left out. */
  readonly maxBlobBytes?: number;
  /** Uploads that nobody touches for so long do not exist any more, also before they are swept.
   * Until they are swept when left out. */
  readonly uploadExpiryMs?: number;
  /** Milliseconds since 1970; the system's clock when left out. */
  readonly now?: () => number;
  /** UUIDs nobody can guess; random ones when left out. */
  readonly newId?: () => string;
};

const DEFAULT_MAX_BLOB_BYTES = 2 ** 40;

/** The distribution API and its token endpoint, to be mounted at the site's root. */
export function createOciApp(ports: OciPorts, options: OciOptions): Hono {
  const { service, maxBlobBytes = DEFAULT_MAX_BLOB_BYTES } = options;
  const { now = Date.now, newId = randomUUID, uploadExpiryMs } = options;
  const { uploads, files, blobs } = ports;
  const registry: Registry = {
    ports,
    service,
    uploading: { uploads, files, blobs, newId, maxBlobBytes },
    startsPull: createPullCounter(now),
    uploadsIdleSince: () =>
      uploadExpiryMs === undefined ? undefined : new Date(now() - uploadExpiryMs),
  };
  const app = new Hono();
  app.onError((error, c) => {
    const refusal = sendError(c, refusalOf(error));
    // Nobody is there any more to be waited for.
    return error instanceof BodyCutError ? refusal : answerThenDrain(c, refusal);
  });
  // One handler reads the raw path itself: the router would part it from the left, and decoded.
  app.all("/v2/*", (c) => answer({ c, registry }, routeOf(c)));
  app.all("/token", (c) => answerToken({ c, registry }));
  return app;
}

async function answer(call: Call, route: Route): Promise<Response> {
  switch (route.type) {
    case "ping":
      return answerPing(call);
    case "catalog":
      return answerCatalog(call);
    case "uploads":
      return startUpload(call, route);
    case "upload":
      return answerUpload(call, route);
    case "blob":
      return answerBlob(call, route);
    case "manifest":
      return answerManifest(call, route);
    case "tags":
      return answerTags(call, route);
    case "referrers":
      return answerReferrers(call, route);
  }
}

function routeOf(c: Context): Route {
  const path = rawPathOf(c.req.raw.url);
  const route = parseRoute(path);
  if (route) return route;
  const message = "the distribution API has no such path";
  throw new OciError("NAME_UNKNOWN", { message, details: [{ path: path.slice(0, 300) }] });
}

/** Other errors are the host's: it logs them once and answers 500 or 503. */
function refusalOf(error: Error): OciError {
  if (error instanceof OciError) return error;
  if (error instanceof BodyTooLargeError) {
    return new OciError("SIZE_INVALID", { status: 413, message: error.message, cause: error });
  }
  if (error instanceof BodyCutError) {
    return new OciError("SIZE_INVALID", { message: error.message, cause: error });
  }
  throw error;
}
