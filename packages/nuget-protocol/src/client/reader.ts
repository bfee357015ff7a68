import { collect, foundAnswer, withRetries } from "@sealhouse/http-responses/outgoing";
import type { Answer, Exchange, RetryOptions } from "@sealhouse/http-responses/outgoing";
import { failure } from "./client-error.ts";
import type { JsonNode } from "./json-node.ts";
import { parseDocument } from "./json-node.ts";

/** Options of a call to another registry. */
export type CallOptions = { readonly signal?: AbortSignal | undefined };

export type RevisedRead = CallOptions & {
  /** Asks only for another document than the one with this tag. */
  readonly etag?: string | undefined;
};

/** A document of a feed, of which the caller had an older state. */
export type Revised<Value> =
  | { readonly status: "found"; readonly value: Value; readonly etag?: string }
  | { readonly status: "unchanged" };

export type FoundDocument =
  | { readonly status: "found"; readonly document: JsonNode; readonly etag?: string }
  /** It still is the document with the tag. */
  | { readonly status: "unchanged" };

/** Reads of a feed, each tried again when it fails in a way that passes. */
export type Reader = {
  /** Undefined for 404. */
  json(url: URL, options: CallOptions): Promise<JsonNode | undefined>;
  /** The same for a document of which the caller may have an older state. */
  revised(url: URL, options: RevisedRead): Promise<FoundDocument | undefined>;
  /** The same for any document; at most `maxBytes`. */
  bytes(url: URL, maxBytes: number, options: CallOptions): Promise<Uint8Array | undefined>;
  /** Tried again only until there is an answer. */
  stream(url: URL, options: CallOptions): Promise<Answer | undefined>;
};

export type ReaderOptions = RetryOptions & {
  readonly exchange: Exchange;
  readonly documentBytesMax: number;
  readonly documentTimeoutMs: number;
};

/**
 * @throws {NuGetClientError} `unauthorized` for 401 and 403, `status` for other answers than 200
 * and 404, `too-large`, `malformed`, `unreachable`, `refused-address`
 */
export function createReader(options: ReaderOptions): Reader {
  const { exchange, documentBytesMax, documentTimeoutMs: timeoutMs } = options;
  const bytes = (url: URL, maxBytes: number, { signal }: CallOptions) =>
    withRetries(
      url,
      async () => {
        const headers = { accept: "application/json, */*;q=0.5", "accept-encoding": "gzip" };
        const answer = await exchange({ method: "GET", url, headers, signal, timeoutMs });
        const okAnswer = await foundAnswer(answer, { now: options.now, failure });
        return okAnswer && collect(okAnswer, { maxBytes, failure });
      },
      { ...options, signal },
    );
  return {
    bytes,
    async json(url, read) {
      const document = await bytes(url, documentBytesMax, read);
      return document && parseDocument(url, document);
    },
    revised: (url, read) =>
      withRetries(url, () => readRevised(options, url, read), { ...options, signal: read.signal }),
    stream: (url, { signal }) =>
      withRetries(
        url,
        async () => {
          const headers = { accept: "*/*", "accept-encoding": "identity" };
          const answer = await exchange({ method: "GET", url, headers, signal });
          return foundAnswer(answer, { now: options.now, failure });
        },
        { ...options, signal },
      ),
  };
}

async function readRevised(
  { exchange, documentBytesMax, documentTimeoutMs: timeoutMs, now }: ReaderOptions,
  url: URL,
  { etag, signal }: RevisedRead,
): Promise<FoundDocument | undefined> {
  const headers = {
    accept: "application/json, */*;q=0.5",
    "accept-encoding": "gzip",
    ...(etag !== undefined && { "if-none-match": etag }),
  };
  const answer = await exchange({ method: "GET", url, headers, signal, timeoutMs });
  if (answer.status === 304 && etag !== undefined) {
    await answer.cancel();
    return { status: "unchanged" };
  }
  const okAnswer = await foundAnswer(answer, { now, failure });
  if (!okAnswer) return undefined;
  const document = parseDocument(
    url,
    await collect(okAnswer, { maxBytes: documentBytesMax, failure }),
  );
  const tag = okAnswer.headers.get("etag");
  return { status: "found", document, ...(tag !== null && { etag: tag }) };
}
