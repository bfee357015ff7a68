import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import { brotliOf } from "./brotli-form.ts";
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
 * 8.8.3.3): `"x"`, `"x.gzip"`, `"x.br"`, `"x.zstd"`. A tag that a proxy made of one of them, such
 * as `"x-gzip"`, is told apart by its dash and counts as the form it was made from.
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
  const request = requestOf(incoming);
  const form = formOf(request, document, options);
  if (isFresh(request, form.etag)) outgoing.writeHead(304, form.raw.fresh).end();
  else
    outgoing.writeHead(200, form.raw.whole).end(request.method === "HEAD" ? undefined : form.bytes);
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

/** Decides the whole answer. */
export function planDocument(
  request: DocumentRequest,
  document: StoredDocument,
  options: DocumentOptions,
): DocumentPlan {
  const form = formOf(request, document, options);
  if (isFresh(request, form.etag)) return { status: 304, headers: form.fresh, body: undefined };
  const body = request.method === "HEAD" ? undefined : form.bytes;
  return { status: 200, headers: form.whole, body };
}

/** A document in one encoding, with the head of each answer it can be. */
type Form = {
  readonly etag: string;
  readonly bytes: Uint8Array;
  /** Headers of a 304. */
  readonly fresh: Readonly<Record<string, string>>;
  /** Headers of a 200. */
  readonly whole: Readonly<Record<string, string>>;
  /** The same as flat lists of names and values, which Node writes without a detour. */
  readonly raw: { readonly fresh: string[]; readonly whole: string[] };
};

type Forms = Partial<Record<Encoding, Form>>;

/** Put together once per document and options, as both outlive a request on the hot path. */
const prepared = new WeakMap<StoredDocument, WeakMap<DocumentOptions, Forms>>();

function formOf(
  request: DocumentRequest,
  document: StoredDocument,
  options: DocumentOptions,
): Form {
  const encodings = storedEncodings(request.acceptEncoding, document);
  const forms = formsOf(document, options);
  const prepare = (encoding: Encoding) =>
    (forms[encoding] ??= prepareForm(encoding, document, options));
  const [best = "identity", next = "identity"] = encodings;
  const form = prepare(best);
  // Brotli comes later than the rest: who has what we sent before need not load it again.
  if (best !== "br" || request.ifNoneMatch === undefined || isFresh(request, form.etag))
    return form;
  const former = prepare(next);
  return isFresh(request, former.etag) ? former : form;
}

function formsOf(document: StoredDocument, options: DocumentOptions): Forms {
  let byOptions = prepared.get(document);
  if (!byOptions) prepared.set(document, (byOptions = new WeakMap()));
  let forms = byOptions.get(options);
  if (!forms) byOptions.set(options, (forms = {}));
  return forms;
}

function prepareForm(encoding: Encoding, document: StoredDocument, options: DocumentOptions): Form {
  const bytes = bytesOf(document, encoding) ?? document.identity;
  const etag = encoding === "identity" ? document.etag : `${document.etag}.${encoding}`;
  const vary = varyOf(document, options);
  const fresh = {
    ...options.headers,
    etag: `"${etag}"`,
    "last-modified": document.modifiedAt.toUTCString(),
    "cache-control": options.cacheControl,
    ...(vary !== undefined && { vary }),
  };
  const whole = {
    ...fresh,
    "content-type": document.contentType,
    "content-length": String(bytes.length),
    ...(encoding !== "identity" && { "content-encoding": encoding }),
  };
  const raw = { fresh: Object.entries(fresh).flat(), whole: Object.entries(whole).flat() };
  return { etag, bytes, fresh, whole, raw };
}

function requestOf({ method, headers }: IncomingMessage): DocumentRequest {
  const acceptEncoding = headers["accept-encoding"];
  return {
    method,
    acceptEncoding: typeof acceptEncoding === "string" ? acceptEncoding : undefined,
    ifNoneMatch: headers["if-none-match"],
  };
}

/** Best first, and two at most. Empty where everything we have is forbidden: identity is what most
 * clients understand all the same. */
function storedEncodings(
  header: string | undefined,
  document: StoredDocument,
): readonly Encoding[] {
  const accepted = acceptedEncodings(header);
  const best = accepted.find((encoding) => bytesOf(document, encoding) !== undefined);
  if (best !== "br") return best === undefined ? [] : [best];
  const next = accepted.find((encoding) => encoding !== "br" && document[encoding] !== undefined);
  return next === undefined ? [best] : [best, next];
}

function bytesOf(document: StoredDocument, encoding: Encoding): Uint8Array | undefined {
  return encoding === "br" ? brotliOf(document) : document[encoding];
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
