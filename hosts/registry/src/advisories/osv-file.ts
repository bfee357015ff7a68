import { createReadStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { setImmediate as breathe } from "node:timers/promises";
import { OSV_BYTES_MAX } from "@sealhouse/advisories";
import { parseJson } from "@sealhouse/nuget-protocol/advisories";
import { readArchive } from "./archive.ts";
import { JSON_BYTES_MAX } from "./download.ts";
import { readOsvBytes, readOsvDocument, readOsvText } from "./osv-document.ts";
import type { OsvReading } from "./osv-document.ts";
import { AdvisorySourceError, reasonOf } from "./source-error.ts";

/** What a file is, by what stands in it. */
export type FileForm =
  | { readonly type: "zip" | "lines" }
  | { readonly type: "json"; readonly value: unknown };

const ZIP = Buffer.from("PK");
/** Documents taken before other work gets its turn. */
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

/** The OSV documents of an archive, of a JSON array, of lines with one each, or just one.
 * `name` is what people know the file by. */
export async function* readOsvFile(
  path: string,
  options: { readonly name: string; readonly form: FileForm; readonly signal: AbortSignal },
): AsyncGenerator<OsvReading> {
  const { form } = options;
  switch (form.type) {
    case "zip":
      return yield* readZip(path, options);
    case "lines":
      return yield* readLines(path, options);
    case "json": {
      const documents: readonly unknown[] = Array.isArray(form.value) ? form.value : [form.value];
      for (const [index, document] of documents.entries()) {
        if (index % DOCUMENTS_AT_ONCE === 0) await breathe(undefined, options);
        yield readOsvDocument(document);
      }
    }
  }
}

async function* readZip(
  path: string,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): AsyncGenerator<OsvReading> {
  const isWanted = (file: string) => /\.json$/i.test(file);
  try {
    for await (const { bytes } of readArchive(path, { isWanted, bytesMax: OSV_BYTES_MAX })) {
      signal.throwIfAborted();
      yield readOsvBytes(bytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new AdvisorySourceError(`${name}: ${reasonOf(error)}`, { cause: error });
  }
}

async function* readLines(
  path: string,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): AsyncGenerator<OsvReading> {
  let number = 0;
  for await (const line of linesOf(path, name)) {
    number += 1;
    if (number % DOCUMENTS_AT_ONCE === 0) await breathe(undefined, { signal });
    const text = line.trim();
    if (text === "") continue;
    const reading = readOsvText(text);
    const { problems } = reading;
    // A page that says "sign in" has lines, too.
    if (number === 1 && problems.length > 0 && !text.startsWith("{")) {
      throw new AdvisorySourceError(`${name} is neither an archive nor JSON.`);
    }
    yield { ...reading, problems: problems.map((one) => `line ${number}: ${one}`) };
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
