import { Readable, pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { AdvisorySourceError, reasonOf } from "../errors.ts";

export type Fetched = {
  readonly response: Response;
  /** The address after redirects. */
  readonly url: string;
};

export type FetchOptions = {
  /** Checks each address, and does not follow redirects itself. */
  readonly fetch: typeof fetch;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

const REDIRECTS_MAX = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a GET request and follows redirects. Checks each target like the first URL, and refuses
 * redirects from https to http.
 *
 * @throws {AdvisorySourceError} for a status other than 200 and 304
 */
export async function fetchFollowing(start: string, options: FetchOptions): Promise<Fetched> {
  let url = start;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const response = await answerOf(url, options);
    if (!REDIRECTS.has(response.status)) {
      if (response.status === 200 || response.status === 304) return { response, url };
      await response.body?.cancel();
      throw new AdvisorySourceError(`${url} answers ${response.status}.`);
    }
    await response.body?.cancel();
    url = targetOf(url, response.headers.get("location") ?? "");
  }
  throw new AdvisorySourceError(`${start} redirects more than ${REDIRECTS_MAX} times.`);
}

/**
 * The decoded bytes of a response.
 * @throws {AdvisorySourceError} when there are more than `bytesMax`
 */
export async function* bodyOf(
  { response, url }: Fetched,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of unpacked(response, url)) {
      size += chunk.length;
      if (size > bytesMax) {
        throw new AdvisorySourceError(`${url} is larger than ${bytesMax} bytes.`);
      }
      yield chunk;
    }
  } catch (error) {
    if (error instanceof AdvisorySourceError) throw error;
    throw new AdvisorySourceError(`The download of ${url} ended early: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

async function answerOf(url: string, { fetch, headers, signal }: FetchOptions): Promise<Response> {
  const sent = { accept: "*/*", "accept-encoding": "gzip, identity", ...headers };
  try {
    return await fetch(url, { headers: sent, signal, redirect: "manual" });
  } catch (error) {
    throw new AdvisorySourceError(`Cannot read ${url}: ${reasonOf(error)}.`, { cause: error });
  }
}

function targetOf(from: string, location: string): string {
  const target = URL.canParse(location, from) ? new URL(location, from) : undefined;
  const isDowngrade = from.startsWith("https:") && target?.protocol !== "https:";
  if (!target || isDowngrade || !/^https?:$/.test(target.protocol)) {
    throw new AdvisorySourceError(`${from} redirects to "${location}", which is not allowed.`);
  }
  return target.href;
}

function unpacked({ body, headers }: Response, url: string): AsyncIterable<Uint8Array> {
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  const packed = body ? Readable.fromWeb(body) : Readable.from([]);
  if (encoding === "identity") return packed;
  if (encoding !== "gzip") {
    packed.destroy();
    throw new AdvisorySourceError(
      `${url} is encoded as ${encoding}, which the request did not accept.`,
    );
  }
  // The reader of the result gets the failure of either stream.
  return pipeline(packed, createGunzip(), () => undefined);
}
