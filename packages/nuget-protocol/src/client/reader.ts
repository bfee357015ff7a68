import {
  collect,
  isPassingStatus,
  PassingError,
  withRetries,
} from "@sealhouse/http-responses/outgoing";
import type { Answer, Exchange, RetryOptions } from "@sealhouse/http-responses/outgoing";
import { failure, NuGetClientError } from "./client-error.ts";
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
        const found = await usable(answer, url, options.now());
        return found && collect(found, { maxBytes, failure });
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
          return usable(
            await exchange({ method: "GET", url, headers, signal }),
            url,
            options.now(),
          );
        },
        { ...options, signal },
      ),
  };
}

/** Undefined for 404; the body of what is not used is let go. */
async function usable(answer: Answer, url: URL, now: Date): Promise<Answer | undefined> {
  const { status } = answer;
  if (status === 200) return answer;
  await answer.cancel();
  if (status === 404) return undefined;
  if (isPassingStatus(status)) throw new PassingError(answer, now);
  if (status === 401 || status === 403) {
    const reason = status === 401 ? "needs other credentials (401)" : "is forbidden (403)";
    throw new NuGetClientError("unauthorized", { url, reason, status });
  }
  throw new NuGetClientError("status", { url, reason: `was answered ${status}`, status });
}
