import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import { brotliOf } from "./brotli-form.ts";
import type { Encoding } from "./encoding-choice.ts";
import { acceptedEncodings } from "./encoding-choice.ts";
import { namesEtag } from "./etag.ts";
import { alreadySent, nodeOf, withContextHeaders } from "./node-context.ts";
import type { StoredDocument } from "./stored-document.ts";

/** Headers of a response with a stored document. */
export type DocumentOptions = {
  /** Sent with 200 and 304. */
  readonly cacheControl: string;
  /** Other request headers that the document depends on: `Accept`, `Authorization`. */
  readonly vary?: string;
  /** Names in lower case. Sent with 200 and 304. */
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * Answers GET or HEAD with a stored document in the best encoding that is stored and accepted.
 *
 * The forms are different bytes, so each has its own strong entity tag (RFC 9110 section 8.8.3.3):
 * `"x"`, `"x.gzip"`, `"x.br"`, `"x.zstd"`. A client that sends any of them has the current document
 * and gets 304, in any encoding that it accepts. Proxies derive tags such as `"x-gzip"`, with a
 * dash; such a tag counts as the form that it was derived from.
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

/** Like `sendDocument`, without Hono. For a host that answers its most frequent requests
 * directly. */
export function writeDocument(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  document: StoredDocument,
  options: DocumentOptions,
): void {
  const request = requestOf(incoming);
  const fresh = freshOf(request, document, options);
  if (fresh) {
    outgoing.writeHead(304, fresh.raw).end();
    return;
  }
  const form = formOf(request, document, options);
  outgoing.writeHead(200, form.raw).end(request.method === "HEAD" ? undefined : form.bytes);
}

export type DocumentRequest = {
  readonly method: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
};

export type DocumentPlan = {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for 304 and HEAD. */
  readonly body: Uint8Array | undefined;
};

/** Returns the complete response. */
export function planDocument(
  request: DocumentRequest,
  document: StoredDocument,
  options: DocumentOptions,
): DocumentPlan {
  const fresh = freshOf(request, document, options);
  if (fresh) return { status: 304, headers: fresh.headers, body: undefined };
  const form = formOf(request, document, options);
  const body = request.method === "HEAD" ? undefined : form.bytes;
  return { status: 200, headers: form.headers, body };
}

type Head = {
  readonly headers: Readonly<Record<string, string>>;
  /** The headers as a flat list of names and values, which Node writes faster. */
  readonly raw: string[];
};

/** A document in one encoding, with the head of a 200. */
type Form = Head & { readonly bytes: Uint8Array };

type Prepared = {
  readonly forms: Partial<Record<Encoding, Form>>;
  /** Heads of a 304, including for forms that are no longer stored. */
  readonly fresh: Partial<Record<Encoding, Head>>;
};

/** Cached per document and options, because both outlive a request on the hot path. */
const prepared = new WeakMap<StoredDocument, WeakMap<DocumentOptions, Prepared>>();

function formOf(
  { acceptEncoding }: DocumentRequest,
  document: StoredDocument,
  options: DocumentOptions,
): Form {
  const encoding = storedEncoding(acceptEncoding, document);
  return (preparedOf(document, options).forms[encoding] ??= prepareForm(
    encoding,
    document,
    options,
  ));
}

/** Returns the head of a 304 with the tag that the client sent; undefined if no tag is current.
 * Ignores dates: their unit is a second, and a document can change twice within one. */
function freshOf(
  { acceptEncoding, ifNoneMatch }: DocumentRequest,
  document: StoredDocument,
  options: DocumentOptions,
): Head | undefined {
  if (ifNoneMatch === undefined) return undefined;
  const encoding = namedEncoding(ifNoneMatch, document, acceptEncoding);
  return (
    encoding &&
    (preparedOf(document, options).fresh[encoding] ??= headOf(
      freshHeaders(encoding, document, options),
    ))
  );
}

/** `*` means the form that the client would get. */
function namedEncoding(
  ifNoneMatch: string,
  document: StoredDocument,
  acceptEncoding: string | undefined,
): Encoding | undefined {
  const etagEncoding = ENCODINGS.find((encoding) =>
    namesEtag(ifNoneMatch, etagOf(document, encoding)),
  );
  return etagEncoding && ifNoneMatch.trim() === "*"
    ? storedEncoding(acceptEncoding, document)
    : etagEncoding;
}

const ENCODINGS: readonly Encoding[] = ["gzip", "zstd", "br", "identity"];

function preparedOf(document: StoredDocument, options: DocumentOptions): Prepared {
  let byOptions = prepared.get(document);
  if (!byOptions) prepared.set(document, (byOptions = new WeakMap()));
  let all = byOptions.get(options);
  if (!all) byOptions.set(options, (all = { forms: {}, fresh: {} }));
  return all;
}

function prepareForm(encoding: Encoding, document: StoredDocument, options: DocumentOptions): Form {
  const bytes = bytesOf(document, encoding) ?? document.identity;
  const head = headOf({
    ...freshHeaders(encoding, document, options),
    "content-type": document.contentType,
    "content-length": String(bytes.length),
    ...(encoding !== "identity" && { "content-encoding": encoding }),
  });
  return { ...head, bytes };
}

function freshHeaders(
  encoding: Encoding,
  document: StoredDocument,
  options: DocumentOptions,
): Readonly<Record<string, string>> {
  const vary = varyOf(document, options);
  return {
    ...options.headers,
    etag: `"${etagOf(document, encoding)}"`,
    "last-modified": document.modifiedAt.toUTCString(),
    "cache-control": options.cacheControl,
    ...(vary !== undefined && { vary }),
  };
}

function headOf(headers: Readonly<Record<string, string>>): Head {
  return { headers, raw: Object.entries(headers).flat() };
}

function etagOf({ etag }: StoredDocument, encoding: Encoding): string {
  return encoding === "identity" ? etag : `${etag}.${encoding}`;
}

function requestOf({ method, headers }: IncomingMessage): DocumentRequest {
  const acceptEncoding = headers["accept-encoding"];
  return {
    method,
    acceptEncoding: typeof acceptEncoding === "string" ? acceptEncoding : undefined,
    ifNoneMatch: headers["if-none-match"],
  };
}

/** Returns the best form that is stored and accepted. Returns identity if the client forbids every
 * stored form, because most clients understand it anyway. */
function storedEncoding(header: string | undefined, document: StoredDocument): Encoding {
  const accepted = acceptedEncodings(header);
  return accepted.find((encoding) => bytesOf(document, encoding) !== undefined) ?? "identity";
}

function bytesOf(document: StoredDocument, encoding: Encoding): Uint8Array | undefined {
  return encoding === "br" ? brotliOf(document) : document[encoding];
}

/** Omits `Accept-Encoding` if the document has no compressed form: all clients get the same
 * bytes. */
function varyOf(document: StoredDocument, { vary }: DocumentOptions): string | undefined {
  if (!document.gzip && !document.zstd) return vary;
  return vary === undefined ? "Accept-Encoding" : `Accept-Encoding, ${vary}`;
}
