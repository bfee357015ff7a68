import { stat } from "node:fs/promises";
import {
  isVulnerabilityIndex,
  readVulnerabilityIndex,
  VulnerabilityIndexError,
  vulnerabilityIndexOf,
} from "@sealhouse/nuget-protocol/advisories";
import { download, downloadJson } from "./download.ts";
import { NOTHING_READ } from "./osv-document.ts";
import type { OsvReading } from "./osv-document.ts";
import { formOf, readOsvFile } from "./osv-file.ts";
import { readOsvFolder } from "./osv-folder.ts";
import { AdvisorySourceError, reasonOf } from "./source-error.ts";
import type { SourceState } from "./source-state.ts";

export type SourceReading =
  | { readonly status: "unchanged" }
  | {
      readonly status: "read";
      readonly readings: AsyncIterable<OsvReading> | Iterable<OsvReading>;
      readonly state: SourceState;
    };

export type ReadOptions = {
  readonly fetch: typeof fetch;
  /** What was kept the last time, if that was the same place. */
  readonly state: SourceState | undefined;
  readonly signal: AbortSignal;
  /** Temporary files go with it, after the advisories were read. */
  readonly opened: AsyncDisposableStack;
};

type Json = { readonly url: string; readonly value: unknown };

/**
 * Opens a source, whatever it is: a folder, an archive or a file of OSV documents, a vulnerability
 * index, or a feed that has one.
 * @throws {AdvisorySourceError}
 */
export async function readSource(location: string, options: ReadOptions): Promise<SourceReading> {
  if (/^https?:/i.test(location)) return readUrl(location, options);
  const { signal } = options;
  const state = { location };
  if (await isFolder(location)) {
    return { status: "read", readings: readOsvFolder(location, signal), state };
  }
  const form = await formOf(location);
  const readings = readOsvFile(location, { name: location, form, signal });
  return { status: "read", readings, state };
}

async function readUrl(location: string, options: ReadOptions): Promise<SourceReading> {
  const { fetch, signal, opened, state } = options;
  const downloaded = await download(location, { fetch, signal, etag: state?.etag });
  if (downloaded.status === "unchanged") return downloaded;
  const { path, url, etag } = opened.use(downloaded);
  const form = await formOf(path);
  const index = form.type === "json" ? await indexIn({ url, value: form.value }, options) : form;
  if (index.type === "index") return readIndex(location, index, options);
  const readings = readOsvFile(path, { name: location, form, signal });
  return {
    status: "read",
    readings,
    state: { location, ...(etag !== undefined && { etag }) },
  };
}

/** The vulnerability index that a document is, or leads to. */
async function indexIn(
  { url, value }: Json,
  options: ReadOptions,
): Promise<({ readonly type: "index" } & Json) | { readonly type: "none" }> {
  if (isVulnerabilityIndex(value)) return { type: "index", url, value };
  const indexUrl = told(() => vulnerabilityIndexOf(value, url));
  if (indexUrl === undefined) return { type: "none" };
  return { type: "index", url: indexUrl, value: await downloadJson(indexUrl, options) };
}

/** No entity tag is kept: pages change while their index, or the feed's, stays the same. */
async function readIndex(
  location: string,
  { url, value }: Json,
  { state, ...options }: ReadOptions,
): Promise<SourceReading> {
  try {
    const reading = await readVulnerabilityIndex(value, {
      url,
      readJson: (page) => downloadJson(page, { fetch: options.fetch, signal: options.signal }),
      ...(state?.pages !== undefined && { state: state.pages }),
    });
    if (reading.status === "unchanged") return reading;
    const { advisories: nuget, problems } = reading;
    const readings = [{ ...NOTHING_READ, nuget, problems }];
    return { status: "read", readings, state: { location, pages: reading.state } };
  } catch (error) {
    throw forPeople(error);
  }
}

/** @throws {AdvisorySourceError} also for pipes and devices, which may never end */
async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    throw new AdvisorySourceError(`${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  });
  if (found.isDirectory()) return true;
  if (found.isFile()) return false;
  throw new AdvisorySourceError(`${path} is neither a folder nor a file.`);
}

function told<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw forPeople(error);
  }
}

function forPeople(error: unknown): unknown {
  if (!(error instanceof VulnerabilityIndexError)) return error;
  return new AdvisorySourceError(error.message, { cause: error });
}
