import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { parseJson } from "@sealhouse/http-responses/outgoing";
import { AdvisorySourceError, reasonOf } from "../errors.ts";
import { bodyOf, fetchFollowing } from "./fetch-following.ts";
import { openTemporaryFolder } from "./temporary-folder.ts";

export type Download =
  | { readonly status: "unchanged" }
  | (AsyncDisposable & {
      readonly status: "downloaded";
      /** Path of a temporary file, which disposal deletes. */
      readonly path: string;
      /** The address after redirects. */
      readonly url: string;
      readonly etag?: string;
    });

export type DownloadOptions = {
  readonly fetch: typeof fetch;
  /** ETag of the last download. */
  readonly etag?: string | undefined;
  readonly signal: AbortSignal;
};

/** Maximum bytes of an ecosystem's advisories. The OSV archive of NuGet has a few MiB. */
const DOWNLOAD_BYTES_MAX = 512 * 1024 * 1024;
/** Maximum bytes of a JSON document. */
export const JSON_BYTES_MAX = 64 * 1024 * 1024;
const TIMEOUT_MS = 10 * 60_000;

/** @throws {AdvisorySourceError} */
export async function download(url: string, options: DownloadOptions): Promise<Download> {
  const { fetch, etag } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const headers = etag === undefined ? {} : { "if-none-match": etag };
  const fetched = await fetchFollowing(url, { fetch, signal, headers });
  if (fetched.response.status === 304) return { status: "unchanged" };
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openTemporaryFolder());
  const path = join(folder.path, "download");
  await pipeline(bodyOf(fetched, DOWNLOAD_BYTES_MAX), createWriteStream(path), { signal });
  const newEtag = fetched.response.headers.get("etag");
  const resources = opened.move();
  return {
    status: "downloaded",
    path,
    url: fetched.url,
    ...(newEtag !== null && { etag: newEtag }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** @throws {AdvisorySourceError} when the URL is not readable or not JSON */
export async function downloadJson(url: string, options: DownloadOptions): Promise<unknown> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const fetched = await fetchFollowing(url, { fetch: options.fetch, signal });
  const bytes = Buffer.concat(await Array.fromAsync(bodyOf(fetched, JSON_BYTES_MAX)));
  try {
    return parseJson(bytes);
  } catch (error) {
    throw new AdvisorySourceError(`${url} is not JSON: ${reasonOf(error)}`, { cause: error });
  }
}
