import { createAnswerReader, mapRevised } from "@sealhouse/http-responses/outgoing";
import type {
  AnswerReader,
  CallOptions,
  ReaderOptions,
  Revised,
} from "@sealhouse/http-responses/outgoing";
import type { JsonNode } from "./json-node.ts";
import { parseDocument } from "./json-node.ts";

export type RevisedRead = CallOptions & {
  /** Asks only for another document than the one with this tag. */
  readonly etag?: string | undefined;
};

/** Reads of a feed, each tried again when it fails in a way that passes. */
export type Reader = Pick<AnswerReader, "stream"> & {
  /** Undefined for 404. */
  json(url: URL, options: CallOptions): Promise<JsonNode | undefined>;
  /** The same for a document of which the caller may have an older state. */
  revised(url: URL, options: RevisedRead): Promise<Revised<JsonNode> | undefined>;
  /** The same for any document; at most `maxBytes`. */
  bytes(url: URL, maxBytes: number, options: CallOptions): Promise<Uint8Array | undefined>;
};

const ACCEPT = { accept: "application/json, */*;q=0.5" } as const;

/**
 * @throws {NuGetClientError} `unauthorized` for 401 and 403, `status` for other answers than 200
 * and 404, `too-large`, `malformed`, `unreachable`, `refused-address`
 */
export function createReader(options: ReaderOptions): Reader {
  const { document, stream } = createAnswerReader(options);
  const bytes: Reader["bytes"] = async (url, bytesMax, { signal }) => {
    const found = await document(url, { ...ACCEPT, signal, bytesMax });
    return found?.status === "found" ? found.value.bytes : undefined;
  };
  return {
    bytes,
    async json(url, read) {
      const found = await bytes(url, options.documentBytesMax, read);
      return found && parseDocument(url, found);
    },
    async revised(url, { etag, signal }) {
      const found = await document(url, { ...ACCEPT, etag, signal });
      return mapRevised(found, (received) => parseDocument(url, received.bytes));
    },
    stream,
  };
}
