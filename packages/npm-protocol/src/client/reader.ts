import { collect, foundAnswer, parseJson, withRetries } from "@sealhouse/http-responses/outgoing";
import type { Answer, Exchange, Outgoing, RetryOptions } from "@sealhouse/http-responses/outgoing";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import { failure, malformed, NpmClientError } from "./client-error.ts";

/** Options of a call to another registry. */
export type CallOptions = { readonly signal?: AbortSignal | undefined };

export type DocumentRead = CallOptions & {
  readonly accept?: string;
  /** Asks only for another document than the one with this tag. */
  readonly etag?: string | undefined;
  /** A question with a body: its answer may be asked for again. */
  readonly ask?: unknown;
};

export type FoundDocument =
  | { readonly status: "found"; readonly value: unknown; readonly etag?: string }
  /** It still is the document with the tag. */
  | { readonly status: "unchanged" };

/** Reads of a registry, each tried again when it fails in a way that passes. */
export type Reader = {
  /** Undefined for 404. */
  document(url: URL, read: DocumentRead): Promise<FoundDocument | undefined>;
  /** The same where it must be an object. */
  object(url: URL, read: DocumentRead): Promise<JsonObject | undefined>;
  /** Tried again only until there is an answer; undefined for 404. */
  stream(url: URL, read: CallOptions): Promise<Answer | undefined>;
};

export type ReaderOptions = Omit<RetryOptions, "failure"> & {
  readonly exchange: Exchange;
  readonly documentBytesMax: number;
  readonly documentTimeoutMs: number;
};

/**
 * @throws {NpmClientError} `unauthorized` for 401 and 403, `status` for other answers than 200 and
 * 404, `too-large`, `malformed`, `unreachable`, `refused-address`
 */
export function createReader(options: ReaderOptions): Reader {
  const retry = { ...options, failure };
  const document: Reader["document"] = (url, read) =>
    withRetries(url, () => readOnce(options, url, read), { ...retry, signal: read.signal });
  return {
    document,
    async object(url, read) {
      const foundDocument = await document(url, read);
      if (foundDocument?.status !== "found") return undefined;
      if (isObject(foundDocument.value)) return foundDocument.value;
      throw malformed(url, "the answer is not a JSON object");
    },
    stream: (url, { signal }) =>
      withRetries(
        url,
        async () => {
          const headers = { accept: "*/*", "accept-encoding": "identity" };
          const answer = await options.exchange({ method: "GET", url, headers, signal });
          return foundAnswer(answer, { now: options.now, failure });
        },
        { ...retry, signal },
      ),
  };
}

async function readOnce(
  { exchange, documentTimeoutMs, documentBytesMax, now }: ReaderOptions,
  url: URL,
  read: DocumentRead,
): Promise<FoundDocument | undefined> {
  const answer = await exchange({ ...requestOf(url, read), timeoutMs: documentTimeoutMs });
  if (answer.status === 304 && read.etag !== undefined) {
    await answer.cancel();
    return { status: "unchanged" };
  }
  const goodAnswer = await foundAnswer(answer, { now, failure });
  if (!goodAnswer) return undefined;
  const bytes = await collect(goodAnswer, { maxBytes: documentBytesMax, failure });
  const etag = goodAnswer.headers.get("etag");
  return { status: "found", value: valueOf(url, bytes), ...(etag !== null && { etag }) };
}

function requestOf(url: URL, { accept, etag, ask, signal }: DocumentRead): Outgoing {
  const headers = {
    accept: accept ?? "application/json",
    "accept-encoding": "gzip",
    ...(etag !== undefined && { "if-none-match": etag }),
  };
  if (ask === undefined) return { method: "GET", url, headers, signal };
  return { method: "POST", url, signal, ...jsonBody(ask, headers) };
}

/** A small document to be sent. */
export function jsonBody(
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Required<Pick<Outgoing, "headers" | "body">> {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": String(bytes.length),
    },
    async *body() {
      yield bytes;
    },
  };
}

function valueOf(url: URL, bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (cause) {
    throw new NpmClientError("malformed", { url, reason: "the answer is not JSON", cause });
  }
}
