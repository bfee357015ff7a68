import { randomBytes, randomUUID } from "node:crypto";
import {
  answerThenDrain,
  bodyErrorOf,
  errorCodeOf,
  nodeOf,
  rawPathOf,
  unavailableOf,
} from "@sealhouse/http-responses";
import type { BodyError, DescribeUnavailable, Unavailable } from "@sealhouse/http-responses";
import type { Context } from "hono";
import { Hono } from "hono";
import { sendError } from "./answer.ts";
import { viewedCall } from "./as-of/view-call.ts";
import type { Call, Registry } from "./call.ts";
import { challengeUnknown } from "./challenge-unknown.ts";
import { OciError } from "./errors.ts";
import { hidingPorts } from "./hidden-repositories.ts";
import type { OciPorts } from "./ports.ts";
import type { PullCounter } from "./pull-counter.ts";
import { createPullCounter } from "./pull-counter.ts";
import { requireMethod } from "./route-methods.ts";
import type { Route, RepositoryRoute } from "./route.ts";
import { parseRoute } from "./route.ts";
import { answerBlob } from "./routes/blob.ts";
import { answerCatalog, answerPing, answerTags } from "./routes/listing.ts";
import { answerManifest } from "./routes/manifest.ts";
import { answerReferrers } from "./routes/referrers.ts";
import { answerToken } from "./routes/token.ts";
import { answerUpload, startUpload } from "./routes/upload.ts";
import type { NameMapping } from "./name-mapping.ts";
import { PLAIN, mappingOfSegment } from "./name-mapping.ts";
import { refuseUnowned } from "./surfaces.ts";
import type { UploadIds } from "./upload/upload-ids.ts";
import type { UploadExpiry } from "./upload/upload-limit.ts";
import { NO_IMAGE_SOURCES } from "./upstream/no-sources.ts";
import { createUploadIds } from "./upload/upload-ids.ts";
import { queryOf } from "./call.ts";

/** Options of the OCI app. Only `service` is required. */
export type OciOptions = {
  /** Service name of this registry in challenges and tokens. */
  readonly service: string;
  /** Segments: sets of repositories with their own path. `/acme/v2/app` is `/v2/acme/app`. Default:
   * none. */
  readonly segments?: readonly string[];
  /** Whether repositories outside the segments exist. Default true. */
  readonly hasDefault?: boolean;
  /** Maximum size of a blob; larger ones get 413. Default 1 TiB. */
  readonly maxBlobBytes?: number;
  /** Milliseconds without activity after which an upload gets 404, even before a sweep deletes it.
   * Default: until the sweep. */
  readonly uploadExpiryMs?: number;
  /** Pull counter to share with a fast path that answers some reads. Default: a new one. */
  readonly startsPull?: PullCounter;
  /** Returns the milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  /** Returns unguessable UUIDs. Default: random ones. */
  readonly newId?: () => string;
  /** Upload ids to share with a fast path or, through a common key, with other instances. Default:
   * new ids with a random key. */
  readonly uploadIds?: UploadIds;
  /** Whether a pushed index may list manifests that are not here. Default false. */
  readonly allowsSparseIndexes?: boolean;
  /** Identifies errors of an unavailable or full database or storage, which get 503. */
  readonly unavailable?: DescribeUnavailable;
};

const UPLOAD_KEY_BYTES = 32;
const DEFAULT_MAX_BLOB_BYTES = 2 ** 40;

/**
 * Creates an app with the distribution API at `/v2` and its token endpoint at `/token`. Serve it at
 * the root, or mount it there: `parent.route("/", app)`. Clients always request `/v2` at the root
 * of a host, so a registry cannot be below a path; `segments` gives sets of repositories their own
 * paths. With `ports.past`, `as-of-20261001t1200z/app` is a read-only view of `app` at that time.
 */
export function createOciApp(ports: OciPorts, options: OciOptions): Hono {
  const { service, maxBlobBytes = DEFAULT_MAX_BLOB_BYTES } = options;
  const { now = Date.now, newId = randomUUID, uploadExpiryMs } = options;
  const { segments = [], hasDefault = true } = options;
  const ids = options.uploadIds ?? createUploadIds({ key: randomBytes(UPLOAD_KEY_BYTES), now });
  const { uploads, files, blobs } = ports;
  const expiry = uploadExpiryMs === undefined ? undefined : expiryAfter(uploadExpiryMs, now);
  const registry: Registry = {
    ports,
    sources: ports.sources ?? NO_IMAGE_SOURCES,
    service,
    uploading: { uploads, files, blobs, ids, newId, maxBlobBytes, ...(expiry && { expiry }) },
    startsPull: options.startsPull ?? createPullCounter(now),
    surfaces: { segments, hasDefault },
    now,
    allowsSparseIndexes: options.allowsSparseIndexes ?? false,
  };
  const app = new Hono();
  app.onError((error, c) => {
    const away = unavailableOf(c, error, options.unavailable);
    const refusal = sendError(c, away ? asUnavailable(away) : refusalOf(error));
    // The client has disconnected, so there is no body to drain.
    return errorCodeOf(error) === "body-cut" ? refusal : answerThenDrain(c, refusal);
  });
  // One handler parses the raw path: the router would split the decoded path from the left.
  const atRoot = (c: Context): Call => callOf(c, registry, rootMapping(c, ports));
  app.all("/v2/*", (c) => answerRoute(atRoot(c)));
  app.all("/token", (c) => answerToken(atRoot(c)));
  for (const segment of segments) {
    const mapping = mappingOfSegment(segment, "path");
    app.all(`${mapping.path}/v2/*`, (c) => answerRoute(callOf(c, registry, mapping)));
    app.all(`${mapping.path}/token`, (c) => answerToken(callOf(c, registry, mapping)));
  }
  return app;
}

function expiryAfter(afterMs: number, now: () => number): UploadExpiry {
  return { afterMs, idleSince: () => new Date(now() - afterMs) };
}

function callOf(c: Context, registry: Registry, mapping: NameMapping): Call {
  const { ports, sources, hidden } = hidingPorts(registry);
  return {
    c,
    registry: { ...registry, ports, sources },
    mapping,
    hidden,
    async isKnown(name) {
      if (await sources.mayHaveMore(name)) {
        const claim = await sources.claimOn(name);
        return claim?.kind === "mirrored";
      }
      return (await ports.manifests.tags(name, { limit: 1 })) !== undefined;
    },
  };
}

function rootMapping(c: Context, { address }: OciPorts): NameMapping {
  const { segment } = address(c.req.raw, c.env);
  return segment === undefined ? PLAIN : mappingOfSegment(segment, "host");
}

async function answerRoute(call: Call): Promise<Response> {
  const route = routeOf(call);
  requireMethod(call.c, route.type);
  if (!("name" in route)) return answer(call, route);
  const viewed = await viewedCall({ call, route });
  refuseUnowned(viewed.call, viewed.route.name);
  const named = await routeAtNamespace(viewed.call, viewed.route);
  return answer(viewed.call, named).catch((error: unknown) =>
    challengeUnknown(viewed.call, named, error),
  );
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

function routeOf({ c, mapping }: Call): Route {
  // The raw URL, because a Request normalizes dot segments and would change the name.
  const path = rawPathOf(nodeOf(c)?.incoming.url ?? c.req.raw.url);
  const route = parseRoute(path, mapping);
  if (route) return route;
  const message = "the distribution API has no such path";
  throw new OciError("NAME_UNKNOWN", { message, details: [{ path: path.slice(0, 300) }] });
}

function asUnavailable(unavailable: Unavailable): OciError {
  const { text, retryAfterSeconds, isCallerLimited, isLost } = unavailable;
  if (isLost === true) return new OciError("BLOB_UNKNOWN", { message: text });
  // Clients repeat a 503, and print the message of a 403.
  if (retryAfterSeconds === undefined) return new OciError("DENIED", { message: text });
  const headers = { "retry-after": String(retryAfterSeconds) };
  const code = isCallerLimited === true ? "TOOMANYREQUESTS" : "UNAVAILABLE";
  return new OciError(code, { message: text, headers });
}

/** Status for each error of a request body. */
const BODY_STATUS = {
  "body-cut": 400,
  "body-too-large": 413,
  "body-encoding": undefined,
  "body-too-slow": undefined,
} as const satisfies Record<BodyError["code"], number | undefined>;

/** Converts an error to a refusal. The host logs other errors and answers 500 or 503. */
function refusalOf(error: Error): OciError {
  if (error instanceof OciError) return error;
  const bodyError = bodyErrorOf(error);
  const status = bodyError && BODY_STATUS[bodyError.code];
  if (status === undefined) throw error;
  return new OciError("SIZE_INVALID", { status, message: error.message, cause: error });
}

/**
 * Returns the route to the repository of the registry that a client named with `ns`, as containerd
 * does for mirrors. The response repeats the name in `OCI-Namespace`. Throws `NAME_UNKNOWN` if no
 * source is for that registry.
 */
async function routeAtNamespace(call: Call, route: RepositoryRoute): Promise<RepositoryRoute> {
  const registry = namespaceOf(call);
  if (registry === undefined) return route;
  if (/^[\w.:-]{1,300}$/.test(registry)) call.c.header("oci-namespace", registry);
  const name = await call.registry.sources.repositoryAt(registry, route.name);
  if (name !== undefined) return { ...route, name };
  const message = "no source of this registry mirrors the registry that ns names";
  throw new OciError("NAME_UNKNOWN", { message, details: [{ ns: registry.slice(0, 300) }] });
}

/** Undefined without one, and for this registry itself. */
function namespaceOf(call: Call): string | undefined {
  if (!call.c.req.raw.url.includes("ns=")) return undefined;
  const registry = queryOf(call).get("ns");
  if (registry === null) return undefined;
  const { base } = call.registry.ports.address(call.c.req.raw, call.c.env);
  return new URL(base).host === registry.toLowerCase() ? undefined : registry;
}
