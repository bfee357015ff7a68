import type { BodyError, DescribeUnavailable, Unavailable } from "@sealhouse/http-responses";
import { bodyErrorOf, mountPath, unavailableOf } from "@sealhouse/http-responses";
import { Hono } from "hono";
import { createViews, viewOfRequest } from "./as-of/answer-view.ts";
import { createAuditMemory } from "./advisories/audit-memory.ts";
import { NpmError } from "./errors.ts";
import type { NpmErrorCode } from "./errors.ts";
import { hidingPorts } from "./hidden-names.ts";
import type { NpmPorts } from "./ports.ts";
import type { RequestPath } from "./request-path.ts";
import { parseRequestPath, rawPathBelow } from "./request-path.ts";
import type { Call, NpmSettings } from "./routes/call.ts";
import { isRead, json, methodUnknown, notFound, refuse } from "./routes/call.ts";
import { putPackage } from "./routes/change-package.ts";
import { readDocument } from "./routes/documents.ts";
import { answerEndpoint, noEndpoint } from "./routes/endpoints.ts";
import { acknowledgeDeletion, deletePackage, isTarballDeletion } from "./routes/lifecycle.ts";
import { routeOf } from "./routes/route-table.ts";
import { readTarball } from "./routes/tarball.ts";
import { exchangePathOf } from "./trust/exchange-path.ts";

/** Options of `createNpmApp`; every setting has a default. */
export type NpmAppOptions = Pick<NpmSettings, "anonymousRead"> &
  Partial<NpmSettings> & {
    /** Path of the registry, such as `/npm`. Default: the path below which a parent app has mounted
     * this app with `route()`, or else the root. */
    readonly basePath?: string;
    /**
     * Returns whether an error means that the database or the storage is unavailable or full: 503.
     */
    readonly unavailable?: DescribeUnavailable;
  };

const TARBALL_BYTES_MAX = 256 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
const UNPUBLISH_WITHIN_MS = 3 * DAY_MS;
const STAGED_FOR_MS = 30 * DAY_MS;
const STAGED_PER_PACKAGE = 100;
/** Two of the largest trees at once, or about a thousand usual audits. */
const AUDIT_MEMORY_BYTES = 256 * 1024 * 1024;

/**
 * The registry's routes. Serve the app at the root, or mount it below a path:
 * `parent.route("/npm", app)`; the base of `ports.address` then ends with that path. The app parses
 * the raw path, because a router that decodes first cannot tell `/@a%2fb` from `/@a/b` and rest. It
 * answers every path below its base path, with errors in npm's form. Rethrows other errors. With
 * `ports.views`, `/@2026-10-01T12:00Z/npm` is a read-only view as of that time.
 */
export function createNpmApp(ports: NpmPorts, options: NpmAppOptions): Hono {
  const settings: NpmSettings = {
    tarballBytesMax: TARBALL_BYTES_MAX,
    unpublishWithinMs: UNPUBLISH_WITHIN_MS,
    stagedForMs: STAGED_FOR_MS,
    stagedPerPackage: STAGED_PER_PACKAGE,
    auditMemoryBytes: AUDIT_MEMORY_BYTES,
    now: () => new Date(),
    ...options,
  };
  const auditMemory = createAuditMemory(settings.auditMemoryBytes);
  const answerView = createViews(ports.views);
  const app = new Hono();
  app.onError((error, c) => {
    const away = unavailableOf(c, error, options.unavailable);
    return refuse(c, away ? asUnavailable(away) : asNpmError(error));
  });
  app.all("*", (c) => {
    const basePath = options.basePath ?? mountPath(c);
    const call = { c, ...hidingPorts(ports), settings, auditMemory };
    const view = answerView && viewOfRequest(c.req.url, basePath);
    if (view) return answerView(call, view);
    const rawPath = rawPathBelow(c.req.url, basePath) ?? exchangePathOf(c.req.url);
    if (rawPath === undefined) throw notFound();
    if (isTarballDeletion(c.req.method, rawPath)) return acknowledgeDeletion(call);
    return answer(call, parseRequestPath(rawPath));
  });
  return app;
}

async function answer(call: Call, path: RequestPath): Promise<Response> {
  requireRoute(call, path);
  switch (path.type) {
    case "endpoint":
      return answerEndpoint(call, path);
    case "package":
      return answerPackage(call, path);
    case "root":
      if (!isRead(call.c.req.method)) throw methodUnknown(call.c, "GET");
      return json(call, { db_name: "registry" });
    case "invalid":
      throw new NpmError("name-invalid", `There is no such address: ${path.reason}.`);
  }
}

/** Refuses every path and method that is missing from the table of routes. */
function requireRoute({ c }: Call, path: RequestPath): void {
  if (path.type === "invalid") return;
  const route = routeOf(path);
  if (!route) throw path.type === "endpoint" ? noEndpoint(path) : notFound();
  const { method } = c.req;
  if (route.methods.some((routeMethod) => routeMethod === (method === "HEAD" ? "GET" : method)))
    return;
  throw methodUnknown(c, route.methods.join(", "));
}

async function answerPackage(
  call: Call,
  path: Extract<RequestPath, { readonly type: "package" }>,
): Promise<Response> {
  const { name, rest } = path;
  const { method } = call.c.req;
  if (method === "PUT" && isWholePackage(rest)) return putPackage(call, name, rest[1]);
  if (method === "DELETE") return deletePackage(call, name, rest);
  if (!isRead(method)) throw methodUnknown(call.c, "GET, PUT, DELETE");
  if (rest[0] === "-" && rest.length > 1) return readTarball(call, name, rest);
  const document = await readDocument(call, path);
  if (!document) throw notFound();
  return document;
}

/** `/{package}` or `/{package}/-rev/{revision}`. */
function isWholePackage(rest: readonly string[]): boolean {
  return rest.length === 0 || (rest.length === 2 && rest[0] === "-rev");
}

function asUnavailable(unavailable: Unavailable): NpmError {
  const { text, code, retryAfterSeconds, isCallerLimited, isLost } = unavailable;
  if (isLost === true) return new NpmError("not-found", text, { more: { code } });
  if (retryAfterSeconds === undefined)
    return new NpmError("source-refused", text, { more: { code } });
  const headers = { "retry-after": String(retryAfterSeconds) };
  const refusal = isCallerLimited === true ? "limited" : "unavailable";
  return new NpmError(refusal, text, { headers, more: { code } });
}

function asNpmError(error: Error): NpmError {
  if (error instanceof NpmError) return error;
  const bodyError = bodyErrorOf(error);
  const refusal = bodyError && bodyRefusalOf(bodyError);
  if (!refusal) throw error;
  return new NpmError(refusal.code, refusal.text, { cause: error });
}

type BodyRefusal = { readonly code: NpmErrorCode; readonly text: string };

/** Undefined for errors that the host answers. */
function bodyRefusalOf(error: BodyError): BodyRefusal | undefined {
  switch (error.code) {
    case "body-too-large": {
      const limit = `${Math.ceil(error.maxBytes / 1024)} KiB`;
      const text = `The body is larger than ${limit}, which is the most this address takes.`;
      return { code: "too-large", text };
    }
    case "body-encoding":
      return {
        code: "document-invalid",
        text: "The body is not in the encoding that its Content-Encoding names (gzip is known).",
      };
    case "body-cut":
      return { code: "document-invalid", text: "The body ended early." };
    case "body-too-slow":
      return undefined;
  }
}
