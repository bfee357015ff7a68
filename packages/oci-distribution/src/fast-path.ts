import type { Caller } from "@sealhouse/request-types";
import type { IncomingMessage, ServerResponse } from "node:http";
import { writeBytes, writeHeadOfBytes } from "@sealhouse/http-responses";
import { VERSION_HEADERS } from "./answer.ts";
import type { TagPast } from "./as-of/ports.ts";
import { findAsOf } from "./as-of/view-call.ts";
import type { ViewName } from "./as-of/view-name.ts";
import { parseViewName } from "./as-of/view-name.ts";
import { parseDigest } from "./digest.ts";
import { errorBody } from "./errors.ts";
import type { BlobCatalog, BlobFiles, ManifestCatalog, OciVerdict, StoredBlob } from "./ports.ts";
import type { ManifestRead, PullCounter } from "./pull-counter.ts";
import { isPullFor } from "./pull-counter.ts";
import { parseReference } from "./reference.ts";
import type { RepositoryName } from "./repository-name.ts";
import { isRepositoryName } from "./repository-name.ts";
import type { RepositoryRoute, Route } from "./route.ts";
import { parseRoute } from "./route.ts";
import { immutableFor } from "./routes/blob.ts";
import { sessionHeaders } from "./routes/upload.ts";
import type { UploadIds } from "./upload/upload-ids.ts";
import type { ImageSources } from "./upstream/ports.ts";
import { staleHeaders } from "./upstream/stale-headers.ts";
import { ownerOf } from "./upload/upload-ids.ts";

/** Ports of the fast path for small blobs, manifests and new uploads. */
export type FastPathPorts = {
  readonly blobs: Pick<BlobCatalog, "find">;
  readonly manifests: Pick<ManifestCatalog, "find">;
  readonly isPresent: BlobFiles["isPresent"];
  /** Returns all bytes of a small blob; undefined for a large one. */
  readonly bytesOf: (blob: StoredBlob) => Promise<Uint8Array | undefined>;
  readonly authorize: (
    incoming: IncomingMessage,
    neededAccess: { readonly action: "pull" | "push"; readonly repository?: RepositoryName },
  ) => Promise<OciVerdict>;
  /** Returns the id of a request, for its answer. */
  readonly requestId: (incoming: IncomingMessage) => string;
  readonly count: (what: "pull", repository: RepositoryName) => void;
  readonly startsPull: PullCounter;
  readonly uploadIds: Pick<UploadIds, "begin">;
  /** Returns true if this registry serves the repository. */
  readonly owns: (repository: RepositoryName) => boolean;
  /** Absent where there are no views as of a time. */
  readonly past?: TagPast;
  /** Returns the milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  readonly sources: Pick<ImageSources, "claimOn" | "mayHaveMore">;
};

/** Answers a request. False if it wrote nothing and the app must answer. */
export type FastPath = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<boolean>;

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

/**
 * Creates a fast path that bypasses the router, for paths at the root. It answers the requests of
 * pulls (manifests, small blobs, HEAD of blobs, the ping) and the start of an upload, which stores
 * nothing. It leaves all other requests and all errors to the app.
 */
export function createFastPath(ports: FastPathPorts): FastPath {
  return async (incoming, outgoing) => {
    const { method, url = "" } = incoming;
    const route = /[%?#]/.test(url) ? undefined : parseRoute(url);
    if (!route) return false;
    const exchange = { incoming, outgoing };
    const view = "name" in route && parseViewName(route.name);
    if (view) return answerView(ports, exchange, { route, view });
    if (method === "POST") return route.type === "uploads" && beginUpload(ports, exchange, route);
    return isRead(method) && answerRead(ports, exchange, route);
  };
}

function isRead(method: string | undefined): boolean {
  return method === "GET" || method === "HEAD";
}

async function answerRead(
  ports: FastPathPorts,
  exchange: Exchange,
  route: Route,
): Promise<boolean> {
  switch (route.type) {
    case "ping":
      return exchange.incoming.headers.authorization !== undefined && answerPing(ports, exchange);
    case "manifest":
      return answerManifest(ports, exchange, route);
    case "blob":
      return answerBlob(ports, exchange, route);
    default:
      return false;
  }
}

/** Answers reads of a valid view. The app refuses changes and explains invalid views. */
async function answerView(
  ports: FastPathPorts,
  exchange: Exchange,
  { route, view }: { readonly route: RepositoryRoute; readonly view: ViewName },
): Promise<boolean> {
  const { past, manifests, now = Date.now } = ports;
  const { time, name } = view;
  if (!past || !time || time.getTime() > now() || !isRead(exchange.incoming.method)) return false;
  const beginning = await past.beginning(time);
  if (!beginning || time < beginning || !isRepositoryName(name)) return false;
  const find = findAsOf(manifests, past, time);
  return answerRead({ ...ports, manifests: { find } }, exchange, { ...route, name });
}

const PING_HEADERS = {
  ...VERSION_HEADERS,
  "content-type": "application/json",
  "content-length": "2",
};

async function answerPing(
  { authorize }: FastPathPorts,
  { incoming, outgoing }: Exchange,
): Promise<boolean> {
  const verdict = await authorize(incoming, { action: "pull" });
  if (verdict.status !== "granted") return false;
  outgoing.writeHead(200, PING_HEADERS).end(incoming.method === "HEAD" ? undefined : "{}");
  return true;
}

/** Begins an upload. Leaves requests that mount a blob or contain one to the app. */
async function beginUpload(
  ports: FastPathPorts,
  { incoming, outgoing }: Exchange,
  { name }: Extract<RepositoryRoute, { type: "uploads" }>,
): Promise<boolean> {
  const { "content-length": length = "0", "transfer-encoding": encoding } = incoming.headers;
  if (length !== "0" || encoding !== undefined) return false;
  const caller = await callerOf(ports, incoming, { action: "push", repository: name });
  if (!caller || (await ports.sources.claimOn(name))) return false;
  const session = ports.uploadIds.begin({ repository: name, owner: ownerOf(caller) });
  const location = `/v2/${name}/blobs/uploads/${session.id}`;
  const head = { ...VERSION_HEADERS, ...sessionHeaders(location, session), "content-length": "0" };
  outgoing.writeHead(202, head).end();
  return true;
}

async function answerManifest(
  ports: FastPathPorts,
  { incoming, outgoing }: Exchange,
  { name, reference: text }: Extract<RepositoryRoute, { type: "manifest" }>,
): Promise<boolean> {
  const reference = parseReference(text);
  const caller = reference && (await callerOf(ports, incoming, pullOf(name)));
  const whole = incoming.method === "HEAD";
  const manifest = caller && (await ports.manifests.find(name, text, { whole }));
  if (!reference || !manifest) return false;
  const { bytes, mediaType, digest } = manifest;
  const byTag = reference.type === "tag";
  writeBytes(incoming, outgoing, bytes, {
    contentType: mediaType,
    etag: digest,
    cacheControl: byTag ? "no-cache, no-transform" : immutableOf(incoming),
    headers: { ...VERSION_HEADERS, "docker-content-digest": digest, ...staleHeaders(manifest) },
  });
  const method: ManifestRead["method"] = incoming.method === "HEAD" ? "HEAD" : "GET";
  const read = { caller, repository: name, by: reference.type, method, digest } as const;
  if (isPullFor(ports.startsPull, read, incoming.headers["if-none-match"])) {
    ports.count("pull", name);
  }
  return true;
}

async function answerBlob(
  ports: FastPathPorts,
  { incoming, outgoing }: Exchange,
  { name, digest: text }: Extract<RepositoryRoute, { type: "blob" }>,
): Promise<boolean> {
  const digest = parseDigest(text);
  if (!(await callerOf(ports, incoming, pullOf(name)))) return false;
  const blob = await ports.blobs.find(name, digest);
  if (!blob) {
    // The app challenges a client without credentials if the repository is unknown, too.
    const isAnonymous = incoming.headers.authorization === undefined;
    if (isAnonymous || (await ports.sources.mayHaveMore(name))) return false;
    return answerUnknown(ports, { incoming, outgoing }, digest);
  }
  const options = {
    contentType: "application/octet-stream",
    etag: digest,
    cacheControl: immutableOf(incoming),
    headers: { ...VERSION_HEADERS, "docker-content-digest": digest },
  };
  if (incoming.method === "HEAD") {
    if (!(await ports.isPresent(blob))) {
      return answerUnknown(ports, { incoming, outgoing }, digest);
    }
    writeHeadOfBytes(incoming, outgoing, blob.size, options);
    return true;
  }
  const bytes = await ports.bytesOf(blob);
  if (bytes?.length !== blob.size) return false;
  writeBytes(incoming, outgoing, bytes, options);
  return true;
}

/** Answers 404 directly: every push of a layer first checks for it, and most layers are new. */
function answerUnknown(
  { requestId }: Pick<FastPathPorts, "requestId">,
  { incoming, outgoing }: Exchange,
  digest: string,
): boolean {
  const text = JSON.stringify(errorBody("BLOB_UNKNOWN", [{ digest }]));
  const head = {
    ...VERSION_HEADERS,
    // As for a hidden repository, which the app answers.
    "x-request-id": requestId(incoming),
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
  };
  outgoing.writeHead(404, head).end(incoming.method === "HEAD" ? undefined : text);
  return true;
}

type RequiredAccess = { readonly action: "pull" | "push"; readonly repository: RepositoryName };

function pullOf(repository: RepositoryName): RequiredAccess {
  return { action: "pull", repository };
}

async function callerOf(
  { authorize, owns }: FastPathPorts,
  incoming: IncomingMessage,
  access: RequiredAccess,
): Promise<Caller | undefined> {
  if (!owns(access.repository)) return undefined;
  const verdict = await authorize(incoming, access);
  return verdict.status === "granted" ? verdict.caller : undefined;
}

function immutableOf({ headers }: IncomingMessage): string {
  return immutableFor(headers.authorization);
}
