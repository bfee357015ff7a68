import { receive } from "./collect.ts";
import type { Received } from "./collect.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { foundAnswer } from "./found-answer.ts";
import type { Outgoing } from "./outgoing-request.ts";
import { withRetries } from "./retry.ts";
import type { RetryOptions } from "./retry.ts";

/** Options of a call to another registry. */
export type CallOptions = { readonly signal?: AbortSignal | undefined };

/** A read of a document. */
export type DocumentRead = CallOptions & {
  readonly accept: string;
  /** Asks only for another document than the one with this tag. */
  readonly etag?: string | undefined;
  /** The method and body of a question; its answer may be asked for again. */
  readonly ask?: Pick<Outgoing, "method" | "body" | "headers"> | undefined;
  /** Replaces `documentBytesMax`. */
  readonly bytesMax?: number;
};

/** A document of another registry, of which the caller may have had an older state. */
export type Revised<Value> =
  | { readonly status: "found"; readonly value: Value; readonly etag?: string }
  /** It still is the document with the tag. */
  | { readonly status: "unchanged" };

/** Options of `createAnswerReader`. */
export type ReaderOptions = RetryOptions & {
  readonly exchange: Exchange;
  readonly documentBytesMax: number;
  readonly documentTimeoutMs: number;
};

/** Reads, each tried again when it fails in a way that passes. Undefined for 404. */
export type AnswerReader = {
  readonly document: (url: URL, read: DocumentRead) => Promise<Revised<Received> | undefined>;
  /** Tried again only until there is an answer. */
  readonly stream: (url: URL, options: CallOptions) => Promise<Answer | undefined>;
};

/**
 * Creates the reads of a client. Each rejects with `failure`: `unauthorized` for 401 and 403,
 * `status` for other answers than 200 and 404, `too-large`, `unreachable`, `refused-address`.
 */
export function createAnswerReader(options: ReaderOptions): AnswerReader {
  const { exchange, documentBytesMax, documentTimeoutMs: timeoutMs, now, failure } = options;
  const found = (answer: Answer) => foundAnswer(answer, { now, failure });
  const readOnce = async (
    url: URL,
    { accept, etag, ask, signal, bytesMax: maxBytes = documentBytesMax }: DocumentRead,
  ): Promise<Revised<Received> | undefined> => {
    const headers = {
      accept,
      "accept-encoding": "gzip",
      ...(etag !== undefined && { "if-none-match": etag }),
      ...ask?.headers,
    };
    const answer = await exchange({ method: "GET", url, signal, timeoutMs, ...ask, headers });
    if (answer.status === 304 && etag !== undefined) {
      await answer.cancel();
      return { status: "unchanged" };
    }
    const good = await found(answer);
    if (!good) return undefined;
    const value = await receive(good, { maxBytes, failure });
    const tag = good.headers.get("etag");
    return { status: "found", value, ...(tag !== null && { etag: tag }) };
  };
  return {
    document: (url, read) =>
      withRetries(url, () => readOnce(url, read), { ...options, signal: read.signal }),
    stream: (url, { signal }) =>
      withRetries(
        url,
        async () => {
          const headers = { accept: "*/*", "accept-encoding": "identity" };
          return found(await exchange({ method: "GET", url, headers, signal }));
        },
        { ...options, signal },
      ),
  };
}

/** Maps the document that was found, and leaves the other outcomes. */
export function mapRevised<Value, Mapped>(
  revised: Revised<Value> | undefined,
  map: (value: Value) => Mapped,
): Revised<Mapped> | undefined {
  return revised?.status === "found" ? { ...revised, value: map(revised.value) } : revised;
}
