import { stat } from "node:fs/promises";
import type { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { AdvisorySourceError, reasonOf } from "../errors.ts";
import type { AdvisoryReaders } from "../ports.ts";
import { download, downloadJson } from "./download.ts";
import { NOTHING_READ } from "./osv-document.ts";
import type { SourceReading } from "./osv-document.ts";
import { formOf, readOsvFile } from "./osv-file.ts";
import { readOsvFolder } from "./osv-folder.ts";
import type { SourceState } from "./source-state.ts";

export type Readings<NuGet, Npm> =
  | AsyncIterable<SourceReading<NuGet, Npm>>
  | Iterable<SourceReading<NuGet, Npm>>;

export type OpenedSource<NuGet, Npm> =
  | { readonly status: "unchanged" }
  | {
      readonly status: "read";
      readonly readings: Readings<NuGet, Npm>;
      readonly state: SourceState;
    };

export type ReadSourceOptions<NuGet, Npm> = {
  readonly readers: AdvisoryReaders<NuGet, Npm>;
  readonly fetch: typeof fetch;
  /** State of the last import from the same location. */
  readonly state: SourceState | undefined;
  readonly signal: AbortSignal;
  /** Deletes temporary files after the import. */
  readonly opened: AsyncDisposableStack;
};

type Json = { readonly url: string; readonly value: unknown };

/**
 * Opens a source of any kind: a folder, an archive or a file of OSV documents, a vulnerability
 * index, or a feed that has one.
 * @throws {AdvisorySourceError}
 */
export async function readSource<NuGet, Npm>(
  location: string,
  options: ReadSourceOptions<NuGet, Npm>,
): Promise<OpenedSource<NuGet, Npm>> {
  if (/^https?:/i.test(location)) return readUrl(location, options);
  const { readers, signal } = options;
  const state = { location };
  if (await isFolder(location)) {
    return { status: "read", readings: readOsvFolder(location, { readers, signal }), state };
  }
  const form = await formOf(location);
  const readings = readOsvFile(location, form, { name: location, readers, signal });
  return { status: "read", readings, state };
}

async function readUrl<NuGet, Npm>(
  location: string,
  options: ReadSourceOptions<NuGet, Npm>,
): Promise<OpenedSource<NuGet, Npm>> {
  const { readers, fetch, signal, opened, state } = options;
  const downloaded = await download(location, { fetch, signal, etag: state?.etag });
  if (downloaded.status === "unchanged") return downloaded;
  const { path, url, etag } = opened.use(downloaded);
  const form = await formOf(path);
  const index = form.type === "json" ? await indexIn({ url, value: form.value }, options) : form;
  if (index.type === "index") return readIndex(location, index, options);
  const readings = readOsvFile(path, form, { name: location, readers, signal });
  return {
    status: "read",
    readings,
    state: { location, ...(etag !== undefined && { etag }) },
  };
}

/** The vulnerability index that a document is, or that it names. */
async function indexIn<NuGet, Npm>(
  { url, value }: Json,
  options: ReadSourceOptions<NuGet, Npm>,
): Promise<({ readonly type: "index" } & Json) | { readonly type: "none" }> {
  const { index } = options.readers;
  if (index.isVulnerabilityIndex(value)) return { type: "index", url, value };
  const indexUrl = index.vulnerabilityIndexOf(value, url);
  if (indexUrl === undefined) return { type: "none" };
  return { type: "index", url: indexUrl, value: await downloadJson(indexUrl, options) };
}

/** Stores no entity tag: pages change while their index, or that of the feed, stays the same. */
async function readIndex<NuGet, Npm>(
  location: string,
  { url, value }: Json,
  { readers, state, ...options }: ReadSourceOptions<NuGet, Npm>,
): Promise<OpenedSource<NuGet, Npm>> {
  const reading = await readers.index.readVulnerabilityIndex(value, {
    url,
    readJson: (page) => downloadJson(page, { fetch: options.fetch, signal: options.signal }),
    ...(state?.pages !== undefined && { state: state.pages }),
  });
  if (reading.status === "unchanged") return reading;
  const { advisories: nuget, problems } = reading;
  const readings = [{ ...NOTHING_READ, nuget, problems }];
  return { status: "read", readings, state: { location, pages: reading.state } };
}

/** @throws {AdvisorySourceError} also for pipes and devices, which may never end */
async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new AdvisorySourceError(`Cannot read ${path}: ${reasonOf(error)}.`, { cause: error });
  });
  if (stats.isDirectory()) return true;
  if (stats.isFile()) return false;
  throw new AdvisorySourceError(`${path} is neither a folder nor a file.`);
}
