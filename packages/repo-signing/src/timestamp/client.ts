import { TimestampError } from "../errors.ts";
import type { HashName } from "../hash.ts";
import { HASH_OID, digest } from "../hash.ts";
import { algorithm, boolean, derNull, integer, octetString, sequence } from "../der/writer.ts";
import type { ValidityPeriod } from "./check-token.ts";
import { checkedToken } from "./check-token.ts";

/** Options of one timestamp request. */
export type StampOptions = {
  /**
   * The validity of the signing certificate: the time must be inside it, or no client accepts the
   * timestamp.
   */
  readonly within?: ValidityPeriod;
  readonly signal?: AbortSignal;
};

/**
 * Gets the timestamp token over a signature, DER.
 * @throws TimestampError
 */
export type Timestamper = (signature: Uint8Array, options?: StampOptions) => Promise<Uint8Array>;

const NONCE_BYTES = 16;
const REPLY_BYTES_MAX = 256 * 1024;

/**
 * A client of one RFC 3161 server over http or https. Every check a NuGet client will do on the
 * token is done here first, so that a useless token is never put into a package.
 */
export function createTimestamper(options: {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly now: () => Date;
  /** Default 10,000, as the client's own. */
  readonly timeoutMs?: number;
  /**
   * Digest of the signature that the server stamps. Default SHA256, which all servers and clients
   * support.
   */
  readonly hash?: HashName;
}): Timestamper {
  const { url, timeoutMs = 10_000, hash = "SHA256" } = options;
  return async (signature, { within, signal } = {}) => {
    const nonce = Uint8Array.from(options.randomBytes(NONCE_BYTES));
    // Positive, and of full length on the wire.
    nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
    const request = timestampRequest({ signature, nonce, hash });
    const late = AbortSignal.timeout(timeoutMs);
    const reply = await post(url, request, {
      fetch: options.fetch,
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    return checkedToken(reply, {
      signature,
      nonce,
      hash,
      within,
      now: options.now(),
      server: serverName(url),
    });
  };
}

async function post(
  url: string,
  request: Uint8Array,
  how: { readonly fetch: typeof fetch; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const server = serverName(url);
  try {
    const response = await how.fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/timestamp-query",
        accept: "application/timestamp-reply",
      },
      body: Uint8Array.from(request),
      signal: how.signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new TimestampError("http-status", `${server} answered ${response.status}.`);
    }
    return await readReply(response, server);
  } catch (error) {
    if (error instanceof TimestampError) throw error;
    throw failedRequest(server, how.signal, error);
  }
}

function failedRequest(server: string, signal: AbortSignal, cause: unknown): TimestampError {
  if (!signal.aborted) {
    return new TimestampError("unreachable", `${server} cannot be reached.`, { cause });
  }
  if (isTimeout(signal)) {
    return new TimestampError("timeout", `${server} did not answer in time.`, { cause });
  }
  return new TimestampError(
    "cancelled",
    `The caller cancelled the request. ${server} did not answer before.`,
    { cause },
  );
}

/** Whether `AbortSignal.timeout` aborted the signal, and not a caller. */
export function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}

async function readReply(response: Response, server: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > REPLY_BYTES_MAX) {
      throw new TimestampError("malformed", `${server} answered with far too much.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Without path and query, which may hold an account. */
function serverName(url: string): string {
  return `The timestamp server ${URL.parse(url)?.host ?? url}`;
}

/**
 * TimeStampReq ::= SEQUENCE { version v1, messageImprint SEQUENCE { hashAlgorithm, hashedMessage },
 *   reqPolicy OPTIONAL, nonce INTEGER, certReq BOOLEAN } (RFC 3161 2.4.1)
 */
export function timestampRequest(what: {
  readonly signature: Uint8Array;
  /** Big-endian. */
  readonly nonce: Uint8Array;
  readonly hash: HashName;
}): Uint8Array {
  const { signature, nonce, hash } = what;
  const imprint = sequence(
    algorithm(HASH_OID[hash], derNull),
    octetString(digest(hash, signature)),
  );
  return sequence(integer(1), imprint, integer(nonce), boolean(true));
}
