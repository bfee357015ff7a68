import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import type { Encoding } from "./encoding-choice.ts";
import { acceptedEncodings } from "./encoding-choice.ts";
import { namesEtag } from "./etag.ts";
import { alreadySent, nodeOf, withContextHeaders } from "./node-context.ts";
import type { StoredDocument } from "./stored-document.ts";

export type DocumentOptions = {
  /** Sent with 200 and 304. */
  readonly cacheControl: string;
  /** What the document depends on beside the encoding: `Accept`, `Authorization`. */
  readonly vary?: string;
  /** Names in lower case. Sent with 200 and 304. */
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * Answers GET or HEAD with a stored document in the best encoding that is stored and accepted.
 *
 * The forms are different bytes, so each has a strong entity tag of its own (RFC 9110 section
 * 8.8.3.3): `"x"`, `"x.gzip"`, `"x.zstd"`. A tag that a proxy made of one of them, such as
 * `"x-gzip"`, is told apart by its dash and counts as the form it was made from.
 */
export function sendDocument(
  c: Context,
  document: StoredDocument,
  options: DocumentOptions,
): Response {
  const node = nodeOf(c);
  if (!node) {
    const { status, headers, body } = planDocument(
      {
        method: c.req.method,
        acceptEncoding: c.req.header("accept-encoding"),
        ifNoneMatch: c.req.header("if-none-match"),
      },
      document,
      options,
    );
    const copy = body ? Uint8Array.from(body) : null;
    return c.newResponse(copy, status, withContextHeaders(c, headers));
  }
  const { status, headers, body } = planDocument(requestOf(node.incoming), document, options);
  node.outgoing.writeHead(status, withContextHeaders(c, headers)).end(body);
  return alreadySent();
}

/** The same without Hono, for a host that answers its hottest paths by itself. */
export function writeDocument(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  document: StoredDocument,
  options: DocumentOptions,
): void {
  const { status, headers, body } = planDocument(requestOf(incoming), document, options);
  outgoing.writeHead(status, headers).end(body);
}

export type DocumentRequest = {
  readonly method: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
};

export type DocumentPlan = {
  readonly status: 200 | 304;
  readonly headers: Record<string, string>;
  /** Undefined for 304 and HEAD. */
  readonly body: Uint8Array | undefined;
};

/** Decides the whole answer. */
export function planDocument(
  request: DocumentRequest,
  document: StoredDocument,
  options: DocumentOptions,
): DocumentPlan {
  const [encoding, bytes] = bestForm(request.acceptEncoding, document);
  const etag = encoding === "identity" ? document.etag : `${document.etag}.${encoding}`;
  const headers: Record<string, string> = {
    ...options.headers,
    etag: `"${etag}"`,
    "last-modified": document.modifiedAt.toUTCString(),
    "cache-control": options.cacheControl,
  };
  const vary = varyOf(document, options);
  if (vary !== undefined) headers["vary"] = vary;
  if (isFresh(request, etag)) return { status: 304, headers, body: undefined };

  headers["content-type"] = document.contentType;
  headers["content-length"] = String(bytes.length);
  if (encoding !== "identity") headers["content-encoding"] = encoding;
  return { status: 200, headers, body: request.method === "HEAD" ? undefined : bytes };
}

function requestOf({ method, headers }: IncomingMessage): DocumentRequest {
  const acceptEncoding = headers["accept-encoding"];
  return {
    method,
    acceptEncoding: typeof acceptEncoding === "string" ? acceptEncoding : undefined,
    ifNoneMatch: headers["if-none-match"],
  };
}

function bestForm(
  header: string | undefined,
  document: StoredDocument,
): readonly [Encoding, Uint8Array] {
  for (const encoding of acceptedEncodings(header)) {
    const bytes = document[encoding];
    if (bytes) return [encoding, bytes];
  }
  // Everything we have is forbidden; identity is what most clients understand all the same.
  return ["identity", document.identity];
}

/** Without a compressed form the encoding makes no difference, now: a later one tells so itself. */
function varyOf(document: StoredDocument, { vary }: DocumentOptions): string | undefined {
  if (!document.gzip && !document.zstd) return vary;
  return vary === undefined ? "Accept-Encoding" : `Accept-Encoding, ${vary}`;
}

/** Only a tag decides: a date has seconds, and two changes fit into one. */
function isFresh({ ifNoneMatch }: DocumentRequest, etag: string): boolean {
  return ifNoneMatch !== undefined && namesEtag(ifNoneMatch, etag);
}
