import type { IncomingMessage, ServerResponse } from "node:http";
import { BoundedCache } from "@sealhouse/bounded-cache";
import type { DocumentOptions, DocumentStore } from "@sealhouse/http-responses";
import { viewOfPath, writeDocument } from "@sealhouse/http-responses";
import {
  documentOptions,
  readOfRequest,
  variantKey,
  viewDocumentKey,
  writePing,
} from "@sealhouse/npm-protocol";
import type {
  DocumentAddress,
  NpmUpstream,
  TarballAddress,
  WriteAbsent,
  WriteTarball,
} from "@sealhouse/npm-protocol";
import {
  documentKey,
  documentKindOf,
  sourceDocumentOf,
  STORED_DOCUMENT_OPTIONS,
} from "@sealhouse/nuget-protocol";
import type { DocumentKind, NuGetUpstream, ReadServiceIndex } from "@sealhouse/nuget-protocol";
import type { FastPath } from "@sealhouse/oci-distribution";
import { connectionOfIncoming, NPM_PATH } from "@sealhouse/http-server";
import type {
  HostAddress,
  RequestConnection,
  RequestContext,
  RequestGate,
  SetDefaultHeaders,
} from "@sealhouse/http-server";
import { authorizePackage } from "@sealhouse/identity";
import type { RequestDecisions } from "@sealhouse/identity";
import type { AccessRules } from "../wiring/access/access.ts";
import { isOlderNpmPage } from "../routes.ts";

/**
 * Answers reads of stored documents, NuGet's service index, small tarballs, unpublished names,
 * pings and cached images. Returns false at once for other paths, and later when nothing is stored
 * or the caller is not authorized: then the router answers.
 */
export type AnswerStored = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) => false | Promise<boolean>;

type StoredRead = {
  readonly protocol: "nuget" | "npm";
  /** Undefined where the request names no package. */
  readonly name?: string;
} & (
  | {
      readonly type: "document";
      readonly key: string;
      readonly options: DocumentOptions;
      /** Answers a read of an npm document. */
      readonly document?: DocumentAddress;
      /** Whether it is a document of a view as of a time. */
      readonly isView?: true;
      /** Which NuGet document it is, and the address that it is for. */
      readonly nuget?: { readonly kind: DocumentKind; readonly base: string };
    }
  | { readonly type: "tarball"; readonly tarball: TarballAddress }
  | { readonly type: "ping" }
  | { readonly type: "service-index"; readonly base: string }
);

const REMEMBERED = { entries: 10_000, keyLengthMax: 512 };
/** An upload of an image layer begins with a POST that stores nothing. */
const UPLOADS = "/blobs/uploads/";
const IMAGES = "/v2/";
const SERVICE_INDEX = "/v3/index.json";
/** Begins the paths of views as of a time. */
const VIEW = "/@2";

/** Sources of npm answers in addition to the stored documents. */
export type NpmShortcuts = {
  /** Whether npm also has its own host names. */
  readonly hasHostNames: boolean;
  /** Absent where all tarballs go the usual way. */
  readonly writeTarball?: WriteTarball;
  readonly writeAbsent: WriteAbsent;
  readonly revise: NpmUpstream["revise"];
};

/** Shortcuts of features. */
export type Shortcuts = {
  /** Undefined when the router answers the service index. */
  readonly nuget: { readonly serviceIndex: ReadServiceIndex } | undefined;
  /** Undefined when npm is off. */
  readonly npm: NpmShortcuts | undefined;
  /** Answers reads of images at `/v2`; undefined when images are off. */
  readonly images: FastPath | undefined;
};

export type StoredReadsOptions = Partial<Shortcuts> & {
  readonly documents: DocumentStore;
  readonly viewDocuments: DocumentStore;
  readonly rules: AccessRules;
  readonly gate: RequestGate;
  readonly setDefaultHeaders: SetDefaultHeaders;
  /** Compares the documents of package sources when they are old. */
  readonly reviseNuGet: NuGetUpstream["revise"];
  /** Runs an answer, whose questions to package sources count for the caller. */
  readonly counted: <T>(context: RequestContext, work: () => T) => T;
};

/**
 * The shortcut before the router. `npm install` reads one packument after the other and `dotnet
 * restore` one registration after the other, so each millisecond here adds up to a second. All
 * exceptions (no document, no access, an error) go through the router, which explains them. These
 * answers have no `x-request-id`, because they are not logged.
 */
export function createStoredReads(options: StoredReadsOptions): AnswerStored {
  const { rules, gate, setDefaultHeaders, images, counted } = options;
  const find = createFinder(options);
  return (incoming, outgoing) => {
    const { method = "", url = "" } = incoming;
    if (!isCandidate(method, url, options)) return false;
    const connection = connectionOfIncoming(incoming);
    if (gate({ method, url }, connection)) return false;
    const context = rules.contexts.ofIncoming(incoming, connection);
    const { publicAddress: address } = context;
    setDefaultHeaders(outgoing, { address, isFeed: true, origin: incoming.headers.origin });
    // At host names that are for something else, `/v2` is something else.
    const isAtRoot = !address.npmAtRoot && !address.oci;
    if (images && isAtRoot && url.startsWith(IMAGES)) {
      return counted(context, () => images(incoming, outgoing)).catch(() => false);
    }
    const target = method === "POST" ? undefined : find(url, connection, address);
    if (target === undefined) return false;
    const exchange = { incoming, outgoing, connection, context };
    return counted(context, () => answerFound(options, exchange, target)).catch(() => false);
  };
}

type Find = (
  url: string,
  connection: RequestConnection,
  address: HostAddress,
) => StoredRead | undefined;

/** Parses addresses and caches the result. */
function createFinder({ rules, npm, nuget }: StoredReadsOptions): Find {
  const npmOptions = documentOptions(rules.anonymousPull);
  const findNpm = (url: string, accept: string, address: HostAddress): StoredRead | undefined => {
    if (!npm || (!address.npmAtRoot && isOlderNpmPage(url, accept))) return undefined;
    const mount = { basePath: address.npmAtRoot ? "" : NPM_PATH, base: address.npm };
    const read = readOfRequest(url, accept, mount);
    if (read?.type === "tarball") return { ...read, protocol: "npm", name: read.tarball.name };
    if (read?.type !== "document") return read && { ...read, protocol: "npm" };
    const { name, key } = read.document;
    return { ...read, protocol: "npm", name, key, options: npmOptions };
  };
  const findInView = (url: string, accept: string, address: HostAddress) => {
    const { segment, time, rest } = viewOfPath(url) ?? {};
    if (!time || rest === undefined) return undefined;
    const isNuGet = rest.startsWith("/v3/") && !address.npmAtRoot;
    const found = isNuGet
      ? findNuGet(rest, `${address.base}/${segment}`)
      : findNpm(rest, accept, address);
    return found && viewRead(found, time);
  };
  const known = new BoundedCache<string, StoredRead>(REMEMBERED);
  return (url, connection, address) => {
    if (!address.cacheable || address.oci) return undefined;
    const isNuGet = url.startsWith("/v3/") && !address.npmAtRoot;
    const accept = isNuGet ? "" : (connection.header("accept") ?? "");
    return known.remember(`${address.npm} ${accept} ${url}`, () => {
      if (url.startsWith(VIEW)) return findInView(url, accept, address);
      if (nuget && isNuGet && url === SERVICE_INDEX) {
        return { type: "service-index", protocol: "nuget", base: address.base } as const;
      }
      return isNuGet ? findNuGet(url, address.base) : findNpm(url, accept, address);
    });
  };
}

/** Answers from rendered documents only. The router renders them, and explains refusals. */
function viewRead(found: StoredRead, time: Date): StoredRead | undefined {
  if (found.type !== "document") return undefined;
  const { document, ...read } = found;
  const key = document ? viewDocumentKey(found.key, time) : found.key;
  return { ...read, key, isView: true };
}

type Exchange = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly connection: RequestConnection;
  readonly context: RequestContext<RequestDecisions>;
};

/** Compares the document with its package source when it is old. */
function revisionOf(
  { npm, reviseNuGet }: StoredReadsOptions,
  { protocol, name, nuget }: Extract<StoredRead, { readonly type: "document" }>,
): ReturnType<NpmUpstream["revise"]> {
  if (!nuget) return protocol === "npm" && name !== undefined ? npm?.revise(name) : undefined;
  return reviseNuGet(nuget.kind.id, sourceDocumentOf(nuget.kind));
}

function keyOf(
  { key, nuget }: Extract<StoredRead, { readonly type: "document" }>,
  variant: string | undefined,
): string {
  if (variant === undefined) return key;
  return nuget ? documentKey(nuget.kind, nuget.base, variant) : variantKey(key, variant);
}

async function answerFound(
  options: StoredReadsOptions,
  exchange: Exchange,
  target: StoredRead,
): Promise<boolean> {
  if (target.type === "service-index") return answerServiceIndex(options, exchange, target.base);
  const { rules, npm } = options;
  const { incoming, outgoing, connection } = exchange;
  const isWithoutToken = isAnonymous(connection);
  const mayReadName = () => mayRead(rules, exchange, target);
  if (!(isWithoutToken ? rules.anonymousPull : await mayReadName())) return false;
  if (target.type === "ping") {
    if (incoming.method === "GET") writePing(outgoing);
    return outgoing.headersSent;
  }
  if (target.type === "document") return answerDocument(options, exchange, { target, mayReadName });
  if (!(await mayReadName())) return false;
  return npm?.writeTarball?.(incoming, outgoing, target.tarball) ?? false;
}

/** Public: clients with only a push key request it without credentials. */
async function answerServiceIndex(
  { nuget }: StoredReadsOptions,
  { incoming, outgoing }: Exchange,
  base: string,
): Promise<boolean> {
  const document = await nuget?.serviceIndex({ base, cacheable: true });
  if (document) writeDocument(incoming, outgoing, document, STORED_DOCUMENT_OPTIONS);
  return document !== undefined;
}

type DocumentRead = {
  readonly target: Extract<StoredRead, { readonly type: "document" }>;
  /** A name may be hidden from callers without a token. */
  readonly mayReadName: () => Promise<boolean>;
};

async function answerDocument(
  options: StoredReadsOptions,
  { incoming, outgoing, context }: Exchange,
  { target, mayReadName }: DocumentRead,
): Promise<boolean> {
  const { documents, viewDocuments, npm } = options;
  const revising = revisionOf(options, target);
  const state = revising && (await revising);
  // A stale answer has other headers.
  if (state?.stale) return false;
  const store = target.isView ? viewDocuments : documents;
  // Together, so that a database compares its version once for both.
  const [document, isAllowed] = await Promise.all([
    store.read(keyOf(target, state?.variant)),
    mayReadName(),
  ]);
  if (!isAllowed) return false;
  if (!document) {
    // As for a hidden name, which the router answers.
    outgoing.setHeader("x-request-id", context.id);
    return (
      npm !== undefined &&
      target.document !== undefined &&
      npm.writeAbsent(outgoing, target.document)
    );
  }
  writeDocument(incoming, outgoing, document, target.options);
  return true;
}

/** Whether the request may be one that is answered here, by its first line alone. */
function isCandidate(
  method: string,
  url: string,
  { npm, images }: Pick<StoredReadsOptions, "npm" | "images">,
): boolean {
  const isForImages = images !== undefined && url.startsWith(IMAGES);
  if (method === "POST") return isForImages && url.endsWith(UPLOADS);
  if (method !== "GET" && method !== "HEAD") return false;
  const mayBeNpm = npm !== undefined && (npm.hasHostNames || url.startsWith(NPM_PATH));
  return isForImages || mayBeNpm || url.startsWith("/v3/") || url.startsWith(VIEW);
}

/** A path with escapes or a query is left to the router. */
function findNuGet(path: string, base: string): StoredRead | undefined {
  const kind = /[%?]/.test(path) ? undefined : documentKindOf(path);
  if (kind === undefined) return undefined;
  const key = documentKey(kind, base);
  const options = STORED_DOCUMENT_OPTIONS;
  const nuget = { kind, base };
  return { type: "document", protocol: "nuget", name: kind.id, key, options, nuget };
}

function isAnonymous({ header }: RequestConnection): boolean {
  return header("authorization") === undefined && header("x-nuget-apikey") === undefined;
}

async function mayRead(
  rules: AccessRules,
  { connection, context }: Pick<Exchange, "connection" | "context">,
  { protocol, name }: StoredRead,
): Promise<boolean> {
  const headers = { get: (header: string) => connection.header(header) ?? null };
  const neededAccess = { protocol, action: "read", name } as const;
  const verdict = await authorizePackage(rules, neededAccess, { headers, context });
  // The router sends a private package with other headers.
  return verdict.status === "granted" && verdict.isPrivate !== true;
}
