import { createAnswerReader, mapRevised, parseJson } from "@sealhouse/http-responses/outgoing";
import type {
  AnswerReader,
  CallOptions,
  Outgoing,
  ReaderOptions,
  Received,
  Revised,
} from "@sealhouse/http-responses/outgoing";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import { failure, malformed, NpmClientError } from "./client-error.ts";

export type DocumentRead = CallOptions & {
  readonly accept?: string;
  /** Asks only for another document than the one with this tag. */
  readonly etag?: string | undefined;
  /** A question with a body: its answer may be asked for again. */
  readonly ask?: unknown;
};

/** A parsed document with its bytes. */
export type ReceivedJson = { readonly json: unknown; readonly received: Received };

/** Reads of a registry, each tried again when it fails in a way that passes. */
export type Reader = Pick<AnswerReader, "stream"> & {
  /** Undefined for 404. */
  document(url: URL, read: DocumentRead): Promise<Revised<ReceivedJson> | undefined>;
  /** The same where it must be an object. */
  object(url: URL, read: DocumentRead): Promise<JsonObject | undefined>;
};

/**
 * @throws {NpmClientError} `unauthorized` for 401 and 403, `status` for other answers than 200 and
 * 404, `too-large`, `malformed`, `unreachable`, `refused-address`
 */
export function createReader(options: Omit<ReaderOptions, "failure">): Reader {
  const { document: read, stream } = createAnswerReader({ ...options, failure });
  const document: Reader["document"] = async (url, { ask, accept, ...rest }) => {
    const question =
      ask === undefined ? undefined : ({ method: "POST", ...jsonBody(ask) } as const);
    const found = await read(url, { ...rest, accept: accept ?? "application/json", ask: question });
    return mapRevised(found, (received) => ({ json: valueOf(url, received.bytes), received }));
  };
  return {
    document,
    async object(url, objectRead) {
      const foundDocument = await document(url, objectRead);
      if (foundDocument?.status !== "found") return undefined;
      const { json } = foundDocument.value;
      if (isObject(json)) return json;
      throw malformed(url, "the answer is not a JSON object");
    },
    stream,
  };
}

/** A small document to be sent. */
export function jsonBody(value: unknown): Required<Pick<Outgoing, "headers" | "body">> {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    headers: { "content-type": "application/json", "content-length": String(bytes.length) },
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
