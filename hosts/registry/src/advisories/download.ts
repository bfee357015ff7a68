import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseJson } from "@sealhouse/nuget-protocol/advisories";
import { bodyOf, fetchFollowing } from "./fetch-following.ts";
import { AdvisorySourceError, reasonOf } from "./source-error.ts";

export type Download =
  | { readonly status: "unchanged" }
  | (AsyncDisposable & {
      readonly status: "downloaded";
      /** A temporary file, which goes with this. */
      readonly path: string;
      /** Where it came from at last. */
      readonly url: string;
      readonly etag?: string;
    });

export type DownloadOptions = {
  readonly fetch: typeof fetch;
  /** What the last answer had. */
  readonly etag?: string | undefined;
  readonly signal: AbortSignal;
};

/** Of all advisories of one ecosystem: OSV's archive for NuGet has a few MiB. */
const DOWNLOAD_BYTES_MAX = 512 * 1024 * 1024;
/** Of a document that is read in one piece. */
export const JSON_BYTES_MAX = 64 * 1024 * 1024;
const TIMEOUT_MS = 10 * 60_000;

/** @throws {AdvisorySourceError} */
export async function download(url: string, options: DownloadOptions): Promise<Download> {
  const { fetch, etag } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const headers = etag === undefined ? {} : { "if-none-match": etag };
  const fetched = await fetchFollowing(url, { fetch, signal, headers });
  if (fetched.response.status === 304) return { status: "unchanged" };
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-advisories-"));
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, "download");
    await pipeline(bodyOf(fetched, DOWNLOAD_BYTES_MAX), createWriteStream(path), { signal });
    const given = fetched.response.headers.get("etag");
    return {
      status: "downloaded",
      path,
      url: fetched.url,
      ...(given !== null && { etag: given }),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** @throws {AdvisorySourceError} when it cannot be read or is no JSON */
export async function downloadJson(url: string, options: DownloadOptions): Promise<unknown> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const fetched = await fetchFollowing(url, { fetch: options.fetch, signal });
  const bytes = Buffer.concat(await Array.fromAsync(bodyOf(fetched, JSON_BYTES_MAX)));
  try {
    return parseJson(bytes);
  } catch (error) {
    throw new AdvisorySourceError(`${url} is no JSON: ${reasonOf(error)}`, { cause: error });
  }
}
