import { collect, foundAnswer, withRetries } from "@sealhouse/http-responses/outgoing";
import type { Answer, Exchange, RetryOptions } from "@sealhouse/http-responses/outgoing";
import { failure } from "./client-error.ts";
import type { JsonNode } from "./json-node.ts";
import { parseDocument } from "./json-node.ts";

export type ReadOptions = { readonly signal?: AbortSignal | undefined };

/** Reads of a feed, each tried again when it fails in a way that passes. */
export type Reader = {
  /** Undefined for 404. */
  json(url: URL, options: ReadOptions): Promise<JsonNode | undefined>;
  /** The same for any document; at most `maxBytes`. */
  bytes(url: URL, maxBytes: number, options: ReadOptions): Promise<Uint8Array | undefined>;
  /** Tried again only until there is an answer. */
  stream(url: URL, options: ReadOptions): Promise<Answer | undefined>;
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
  const { exchange, documentTimeoutMs: timeoutMs } = options;
  const bytes = (url: URL, maxBytes: number, { signal }: ReadOptions) =>
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
      const document = await bytes(url, options.documentBytesMax, read);
      return document && parseDocument(url, document);
    },
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
