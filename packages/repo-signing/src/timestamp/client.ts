import { OID } from "../der/oid.ts";
import type { Der } from "../der/reader.ts";
import { childrenOf, DerError, readDer, sequenceOf, smallIntegerOf } from "../der/reader.ts";
import { algorithm, boolean, derNull, integer, octetString, sequence } from "../der/writer.ts";
import { SignatureError, TimestampError } from "../errors.ts";
import { digest, sameBytes } from "../hash.ts";
import type { TimestampToken } from "./token.ts";
import { parseTimestampToken, timestampFaults } from "./token.ts";

/** Gives the time-stamp token over a signature, DER. Throws a TimestampError. */
export type Timestamper = (signature: Uint8Array) => Promise<Uint8Array>;

const NONCE_BYTES = 16;
const REPLY_BYTES_MAX = 256 * 1024;
const GRANTED_WITH_CHANGES = 1;

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
}): Timestamper {
  const { url, timeoutMs = 10_000 } = options;
  return async (signature) => {
    const nonce = Uint8Array.from(options.randomBytes(NONCE_BYTES));
    // Positive, and of full length on the wire.
    nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
    const request = timestampRequest(signature, nonce);
    const signal = AbortSignal.timeout(timeoutMs);
    const reply = await post(url, request, { fetch: options.fetch, signal });
    return checkedToken(reply, { signature, nonce, now: options.now(), url });
  };
}

/**
 * TimeStampReq ::= SEQUENCE { version v1, messageImprint SEQUENCE { hashAlgorithm, hashedMessage },
 *   reqPolicy OPTIONAL, nonce INTEGER, certReq BOOLEAN } (RFC 3161 2.4.1)
 */
export function timestampRequest(signature: Uint8Array, nonce: Uint8Array): Uint8Array {
  const imprint = sequence(
    algorithm(OID.sha256, derNull),
    octetString(digest("SHA256", signature)),
  );
  return sequence(integer(1), imprint, integer(nonce), boolean(true));
}

async function post(
  url: string,
  request: Uint8Array,
  how: { readonly fetch: typeof fetch; readonly signal: AbortSignal },
): Promise<Uint8Array> {
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
      throw new TimestampError("http-status", `${server(url)} answered ${response.status}.`);
    }
    return await readReply(response, url);
  } catch (error) {
    if (error instanceof TimestampError) throw error;
    const isLate = how.signal.aborted;
    throw new TimestampError(
      isLate ? "timeout" : "unreachable",
      isLate ? `${server(url)} did not answer in time.` : `${server(url)} cannot be reached.`,
      { cause: error },
    );
  }
}

async function readReply(response: Response, url: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > REPLY_BYTES_MAX) {
      throw new TimestampError("malformed", `${server(url)} answered with far too much.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type Expected = {
  readonly signature: Uint8Array;
  readonly nonce: Uint8Array;
  readonly now: Date;
  readonly url: string;
};

/** TimeStampResp ::= SEQUENCE { status PKIStatusInfo, timeStampToken ContentInfo OPTIONAL } */
function checkedToken(reply: Uint8Array, expected: Expected): Uint8Array {
  const { url } = expected;
  try {
    const [status, token] = sequenceOf(readDer(reply), "time-stamp reply");
    const code = smallIntegerOf(sequenceOf(status, "status")[0], "status");
    if (code > GRANTED_WITH_CHANGES || !token) {
      const why = statusText(status) ?? `status ${code}`;
      throw new TimestampError("rejected", `${server(url)} refused to stamp: ${why}.`);
    }
    checkToken(parseTimestampToken(token.raw), expected);
    return Uint8Array.from(token.raw);
  } catch (error) {
    if (error instanceof DerError) {
      const message = `${server(url)} answered with something else than a time-stamp.`;
      throw new TimestampError("malformed", message, { cause: error });
    }
    if (!(error instanceof SignatureError)) throw error;
    const { code, message } = error;
    throw new TimestampError("invalid", `${server(url)}: ${message}`, { code, cause: error });
  }
}

function checkToken(token: TimestampToken, expected: Expected): void {
  const [fault] = timestampFaults(token, expected.signature, expected.now);
  if (fault) throw new SignatureError(fault.code, `The time-stamp is invalid: ${fault.message}.`);
  if (token.imprint.oid !== OID.sha256) {
    throw new SignatureError("NU3019", "The time-stamp was made over another digest.");
  }
  if (!token.nonce || !sameBytes(token.nonce, expected.nonce)) {
    throw new SignatureError("NU3026", "The time-stamp answers another request.");
  }
  if (token.certificate.extendedKeyUsage?.includes(OID.timeStamping) !== true) {
    throw new SignatureError("NU3028", "The time-stamp's certificate is not meant for stamping.");
  }
}

/** PKIStatusInfo ::= SEQUENCE { status, statusString SEQUENCE OF UTF8String OPTIONAL, … } */
function statusText(status: Der | undefined): string | undefined {
  const text = status && childrenOf(status).find((field) => field.tag === 0x30);
  const words = text && childrenOf(text).map((one) => Buffer.from(one.body).toString("utf8"));
  return words?.join(", ").slice(0, 200);
}

function server(url: string): string {
  return `The time-stamp server ${URL.parse(url)?.host ?? url}`;
}
