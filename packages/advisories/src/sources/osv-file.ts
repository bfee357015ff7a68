import { createReadStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { parseJson } from "@sealhouse/http-responses/outgoing";
import { loadPeer } from "@sealhouse/settings";
import { AdvisorySourceError, reasonOf } from "../errors.ts";
import { OSV_BYTES_MAX } from "../formats/osv.ts";
import type { AdvisoryReaders } from "../ports.ts";
import type * as Archive from "./archive.ts";
import { JSON_BYTES_MAX } from "./download.ts";
import { readOsvBytes, readOsvDocument, readOsvText } from "./osv-document.ts";
import type { SourceReading } from "./osv-document.ts";

/** The format of a file, by its content. */
export type FileForm =
  | { readonly type: "zip" | "lines" }
  | { readonly type: "json"; readonly value: unknown };

const ZIP = Buffer.from("PK");
/** Documents read before other work gets its turn. */
const DOCUMENTS_AT_ONCE = 100;
const NEWLINE = 10;

export async function formOf(path: string): Promise<FileForm> {
  if ((await firstBytes(path, ZIP.length)).equals(ZIP)) return { type: "zip" };
  const { size } = await stat(path);
  if (size > JSON_BYTES_MAX) return { type: "lines" };
  const bytes = await readFile(path);
  try {
    return { type: "json", value: parseJson(bytes) };
  } catch {
    return { type: "lines" };
  }
}

export type OsvFileOptions<NuGet, Npm> = {
  /** The name of the file for people. */
  readonly name: string;
  readonly readers: AdvisoryReaders<NuGet, Npm>;
  readonly signal: AbortSignal;
};

/** Reads the OSV documents of an archive, a JSON array, lines with one each, or a single one. */
export async function* readOsvFile<NuGet, Npm>(
  path: string,
  form: FileForm,
  options: OsvFileOptions<NuGet, Npm>,
): AsyncGenerator<SourceReading<NuGet, Npm>> {
  switch (form.type) {
    case "zip":
      return yield* readZip(path, options);
    case "lines":
      return yield* readLines(path, options);
    case "json": {
      const documents: readonly unknown[] = Array.isArray(form.value) ? form.value : [form.value];
      for (const [index, document] of documents.entries()) {
        if (index % DOCUMENTS_AT_ONCE === 0) await yieldToEventLoop(undefined, options);
        yield readOsvDocument(document, options.readers);
      }
    }
  }
}

/**
 * Loads the optional peer that reads archives.
 * @throws PeerMissingError when it is not installed
 */
function loadArchives(): Promise<typeof Archive> {
  const manifest = import.meta.resolve("@sealhouse/advisories/package.json");
  const peers = { feature: "Reading an archive of advisories", packages: ["unzipper"], manifest };
  return loadPeer(peers, () => import("./archive.ts"));
}

async function* readZip<NuGet, Npm>(
  path: string,
  { name, readers, signal }: OsvFileOptions<NuGet, Npm>,
): AsyncGenerator<SourceReading<NuGet, Npm>> {
  const isWanted = (file: string) => /\.json$/i.test(file);
  try {
    const { readArchive } = await loadArchives();
    for await (const { bytes } of readArchive(path, { isWanted, bytesMax: OSV_BYTES_MAX })) {
      signal.throwIfAborted();
      yield readOsvBytes(bytes, readers);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new AdvisorySourceError(`${name}: ${reasonOf(error)}`, { cause: error });
  }
}

async function* readLines<NuGet, Npm>(
  path: string,
  { name, readers, signal }: OsvFileOptions<NuGet, Npm>,
): AsyncGenerator<SourceReading<NuGet, Npm>> {
  let number = 0;
  for await (const line of linesOf(path, name)) {
    number += 1;
    if (number % DOCUMENTS_AT_ONCE === 0) await yieldToEventLoop(undefined, { signal });
    const text = line.trim();
    if (text === "") continue;
    const reading = readOsvText(text, readers);
    const { problems } = reading;
    // A sign-in page has lines, too.
    if (number === 1 && problems.length > 0 && !text.startsWith("{")) {
      throw new AdvisorySourceError(`${name} is neither an archive nor JSON.`);
    }
    yield { ...reading, problems: problems.map((problem) => `line ${number}: ${problem}`) };
  }
}

async function* linesOf(path: string, name: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE, from)) {
      yield rest.toString("utf8", from, end);
      from = end + 1;
    }
    rest = rest.subarray(from);
    if (rest.length > OSV_BYTES_MAX) {
      throw new AdvisorySourceError(
        `${name} is too large for one JSON document, and has lines over ${OSV_BYTES_MAX} bytes.`,
      );
    }
  }
  if (rest.length > 0) yield rest.toString();
}

async function firstBytes(path: string, length: number): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}
