import { BoundedCache } from "@sealhouse/bounded-cache";
import {
  absentThen,
  lostSince,
  missingView,
  readOnlyView,
  shownTime,
  unknownViewTime,
  viewOfPath,
} from "@sealhouse/http-responses";
import type { DocumentStore, PathView } from "@sealhouse/http-responses";
import { NpmError } from "../errors.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { NpmPorts } from "../ports.ts";
import type { RequestPath } from "../request-path.ts";
import { parseRequestPath, rawPathBelow } from "../request-path.ts";
import type { Call } from "../routes/call.ts";
import { authorizeNamed, isRead, json, notFound } from "../routes/call.ts";
import { readDocument } from "../routes/documents.ts";
import { answerEndpoint } from "../routes/endpoints.ts";
import { readTarball } from "../routes/tarball.ts";
import { lookupAsOf } from "./lookup-as-of.ts";
import type { NpmViews } from "./ports.ts";

/** A view and the path of the request below it. */
export type ViewRequest = PathView & { readonly rawPath: string };

/** Finds the view of a request: before the path of the registry (`/@2026-10-01T12:00Z/npm/demo`) or
 * below it. */
export function viewOfRequest(url: string, basePath: string): ViewRequest | undefined {
  const above = viewOfPath(rawPathBelow(url, "") ?? "");
  const rawPath = above && rawPathBelow(above.rest, basePath);
  if (above && rawPath !== undefined) return { ...above, rawPath };
  const below = viewOfPath(rawPathBelow(url, basePath) ?? "");
  return below && { ...below, rawPath: below.rest === "" ? "/" : below.rest };
}

/** Answers requests to views; the host calls it with the ports of the current registry. */
export type AnswerView = (call: Call, view: ViewRequest) => Promise<Response>;

const RECENT_VIEWS_MAX = 32;

/** Creates the answers of views. Undefined without a history. */
export function createViews(views: NpmViews | undefined): AnswerView | undefined {
  if (!views) return undefined;
  const recent = new BoundedCache<string, DocumentStore>({ entries: RECENT_VIEWS_MAX });
  return async (call, { segment, time, rawPath }) => {
    if (!time) throw notFound(unknownViewTime(segment));
    if (!isRead(call.c.req.method)) {
      throw new NpmError("method-unknown", readOnlyView(time), { headers: { allow: "GET, HEAD" } });
    }
    const now = call.settings.now();
    const missing = missingView(time, { now, beginning: await views.past.beginning(time) });
    if (missing !== undefined) throw notFound(missing);
    // One store for all requests, because concurrent readers share a rendering in it.
    const documents = recent.remember(time.toISOString(), () => documentsOf(views.documents, time));
    const ports = portsAsOf(call.ports, documents, time);
    const path = parseRequestPath(rawPath);
    const answer = await answerPath({ ...call, ports }, path, time).catch((error: unknown) =>
      explain(call, { path, time, error }),
    );
    return answer;
  };
}

function portsAsOf(ports: NpmPorts, documents: DocumentStore, time: Date): NpmPorts {
  const { lookup, views } = ports;
  return { ...ports, documents, ...(views && { lookup: lookupAsOf(lookup, views.past, time) }) };
}

/** Returns the key of a document in a view. Packuments of a view contain the plain addresses of
 * tarballs, as lock files must, so the addresses do not tell views apart. */
export function viewDocumentKey(key: string, time: Date): string {
  return `@${time.toISOString()} ${key}`;
}

function documentsOf(documents: DocumentStore, time: Date): DocumentStore {
  const keyOf = (key: string) => viewDocumentKey(key, time);
  return {
    read: (key) => documents.read(keyOf(key)),
    revision: (group) => documents.revision(group),
    keep: (entry) => documents.keep({ ...entry, key: keyOf(entry.key) }),
    sharesRenderings: () => documents.sharesRenderings?.() ?? true,
  };
}

/** Endpoints that do not depend on the time. */
const TIMELESS: ReadonlySet<string> = new Set(["ping", "whoami", "npm/v1/keys"]);
const ATTESTATIONS = "npm/v1/attestations/";

async function answerPath(call: Call, path: RequestPath, time: Date): Promise<Response> {
  switch (path.type) {
    case "root":
      return json(call, { db_name: "registry" });
    case "package": {
      const { name, rest } = path;
      if (rest[0] === "-" && rest.length > 1) return readTarball(call, name, rest);
      const document = await readDocument(call, path);
      if (!document) throw notFound();
      return document;
    }
    case "endpoint": {
      const endpoint = path.segments.join("/");
      if (TIMELESS.has(endpoint) || endpoint.startsWith(ATTESTATIONS)) {
        return answerEndpoint(call, path);
      }
      const document = await readDocument(call, path);
      if (!document) throw notFound(unanswered(time));
      return document;
    }
    case "invalid":
      throw new NpmError("name-invalid", `There is no such address: ${path.reason}.`);
  }
}

type Unanswered = { readonly path: RequestPath; readonly time: Date; readonly error: unknown };

/** Tells a caller who may read the package why the view does not have a version of it. */
async function explain(call: Call, { path, time, error }: Unanswered): Promise<never> {
  const isAbsent = error instanceof NpmError && error.code === "not-found";
  if (!isAbsent || path.type !== "package" || path.rest.length !== 1) throw error;
  const { name } = path;
  await authorizeNamed(call, { action: "read", name });
  const [specifier = ""] = path.rest;
  const version = parsePackageVersion(specifier);
  const then = version && (await call.ports.views?.past.version(name, version, time));
  const what = `${name} ${specifier}`;
  throw notFound(then ? lostSince(what, { time, until: then.until }) : absentThen(what, time));
}

function unanswered(time: Date): string {
  return (
    `The view as of ${shownTime(time)} has packuments, dist-tags and tarballs; ` +
    "ask the address without the time for everything else."
  );
}
