import { randomBytes, randomUUID } from "node:crypto";
import {
  answerThenDrain,
  bodyErrorOf,
  errorCodeOf,
  nodeOf,
  unavailableOf,
} from "@sealhouse/http-responses";
import type { BodyError, DescribeUnavailable, Unavailable } from "@sealhouse/http-responses";
import type { Context } from "hono";
import { Hono } from "hono";
import { sendError } from "./answer.ts";
import type { Call, Registry } from "./call.ts";
import { OciError } from "./errors.ts";
import type { OciPorts } from "./ports.ts";
import type { PullCounter } from "./pull-counter.ts";
import { createPullCounter } from "./pull-counter.ts";
import { demandMethod } from "./route-methods.ts";
import type { Route } from "./route.ts";
import { parseRoute, rawPathOf } from "./route.ts";
import { answerBlob } from "./routes/blob.ts";
import { answerCatalog, answerPing, answerTags } from "./routes/listing.ts";
import { answerManifest } from "./routes/manifest.ts";
import { answerReferrers } from "./routes/referrers.ts";
import { answerToken } from "./routes/token.ts";
import { answerUpload, startUpload } from "./routes/upload.ts";
import type { Spelling } from "./spelling.ts";
import { PLAIN, spellingOfSegment } from "./spelling.ts";
import { refuseUnowned } from "./surfaces.ts";
import type { UploadIds } from "./upload/upload-ids.ts";
import { createUploadIds } from "./upload/upload-ids.ts";

export type OciOptions = {
  /** Names this registry in challenges; tokens are issued for it. */
  readonly service: string;
  /** Sets of repositories with a path of their own: `acme` is at `/acme/v2/` what is below `acme/`
   * at `/v2/`. None when left out. */
  readonly segments?: readonly string[];
  /** Whether there are repositories beside those of segments; true when left out. */
  readonly hasDefault?: boolean;
  /** Larger blobs are refused with 413. One tebibyte when left out. */
  readonly maxBlobBytes?: number;
  /** Uploads that nobody touches for so long do not exist any more, also before they are swept.
   * Until they are swept when left out. */
  readonly uploadExpiryMs?: number;
  /** Where pulls are told apart, when others answer some of the reads; an own one when left out. */
  readonly startsPull?: PullCounter;
  /** Milliseconds since 1970; the system's clock when left out. */
  readonly now?: () => number;
  /** UUIDs nobody can guess; random ones when left out. */
  readonly newId?: () => string;
  /** Where uploads begin, when others answer that, too, or when instances shall know the uploads of
   * each other before they have bytes; an own one with a random key when left out. */
  readonly uploadIds?: UploadIds;
  /** Tells which errors mean that the database or the storage is away or full: 503. */
  readonly unavailable?: DescribeUnavailable;
};

const UPLOAD_KEY_BYTES = 32;
const DEFAULT_MAX_BLOB_BYTES = 2 ** 40;

/**
 * The distribution API at `/v2`, and its token endpoint at `/token`. Serve it at the root, or mount
 * it there: `parent.route("/", app)`. Clients request `/v2` at the root of a host whatever an image
 * is called, so the protocol has no registry below a path; `segments` gives sets of repositories
 * paths of their own.
 */
export function createOciApp(ports: OciPorts, options: OciOptions): Hono {
  const { service, maxBlobBytes = DEFAULT_MAX_BLOB_BYTES } = options;
  const { now = Date.now, newId = randomUUID, uploadExpiryMs } = options;
  const { segments = [], hasDefault = true } = options;
  const ids = options.uploadIds ?? createUploadIds({ key: randomBytes(UPLOAD_KEY_BYTES), now });
  const { uploads, files, blobs } = ports;
  const registry: Registry = {
    ports,
    service,
    uploading: { uploads, files, blobs, ids, newId, maxBlobBytes },
    startsPull: options.startsPull ?? createPullCounter(now),
    surfaces: { segments, hasDefault },
    uploadsIdleSince: () =>
      uploadExpiryMs === undefined ? undefined : new Date(now() - uploadExpiryMs),
  };
  const app = new Hono();
  app.onError((error, c) => {
    const away = unavailableOf(c, error, options.unavailable);
    const refusal = sendError(c, away ? asUnavailable(away) : refusalOf(error));
    // Nobody is there any more to be waited for.
    return errorCodeOf(error) === "body-cut" ? refusal : answerThenDrain(c, refusal);
  });
  // One handler reads the raw path itself: the router would part it from the left, and decoded.
  const atRoot = (c: Context): Call => ({ c, registry, spelling: rootSpelling(c, ports) });
  app.all("/v2/*", (c) => answerRoute(atRoot(c)));
  app.all("/token", (c) => answerToken(atRoot(c)));
  for (const segment of segments) {
    const spelling = spellingOfSegment(segment, "path");
    app.all(`${spelling.path}/v2/*`, (c) => answerRoute({ c, registry, spelling }));
    app.all(`${spelling.path}/token`, (c) => answerToken({ c, registry, spelling }));
  }
  return app;
}

function rootSpelling(c: Context, { address }: OciPorts): Spelling {
  const { segment } = address(c.req.raw, c.env);
  return segment === undefined ? PLAIN : spellingOfSegment(segment, "host");
}

async function answerRoute(call: Call): Promise<Response> {
  const route = routeOf(call);
  demandMethod(call.c, route.type);
  if ("name" in route) refuseUnowned(call, route.name);
  return answer(call, route);
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

function routeOf({ c, spelling }: Call): Route {
  // As it was sent: a Request's address has lost its dots, and with them what the client named.
  const path = rawPathOf(nodeOf(c)?.incoming.url ?? c.req.raw.url);
  const route = parseRoute(path, spelling);
  if (route) return route;
  const message = "the distribution API has no such path";
  throw new OciError("NAME_UNKNOWN", { message, details: [{ path: path.slice(0, 300) }] });
}

function asUnavailable({ text, retryAfterSeconds }: Unavailable): OciError {
  const headers = { "retry-after": String(retryAfterSeconds) };
  return new OciError("UNAVAILABLE", { message: text, headers });
}

/** The status of errors in a request's body; undefined for those that the host answers. */
const BODY_STATUS = {
  "body-cut": 400,
  "body-too-large": 413,
  "body-encoding": undefined,
  "body-too-slow": undefined,
} as const satisfies Record<BodyError["code"], number | undefined>;

/** The host logs other errors once and answers 500 or 503. */
function refusalOf(error: Error): OciError {
  if (error instanceof OciError) return error;
  const known = bodyErrorOf(error);
  const status = known && BODY_STATUS[known.code];
  if (status === undefined) throw error;
  return new OciError("SIZE_INVALID", { status, message: error.message, cause: error });
}
