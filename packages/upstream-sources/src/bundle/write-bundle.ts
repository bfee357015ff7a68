import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Stats } from "node:fs";
import { createWriteStream } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { TarArchive } from "archiver";
import { algorithmOf } from "@sealhouse/oci-distribution";
import { fromSource, SourceError } from "../source-error.ts";
import type { BundleFile } from "./bundle-contents.ts";
import { loadTar } from "./load-tar.ts";

const MODE = 0o644;
const TIME = new Date(0);

/**
 * Writes the files as a tar that depends on nothing but them, and the signature next to it. Both
 * get their names when they are complete.
 * @throws {PeerMissingError} without the optional peer dependency `archiver`
 * @throws {SourceError} when the file cannot be written, or stored bytes do not have their digest
 */
export async function writeBundle(
  path: string,
  files: readonly BundleFile[],
  options: { readonly signature: Uint8Array | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const { signature, signal } = options;
  const draft = `${path}.part`;
  const { TarArchive } = await loadTar("Writing a bundle", "archiver", () => import("archiver"));
  try {
    const output = createWriteStream(draft, { mode: MODE, flush: true });
    await writeTar({ archive: new TarArchive(), output }, files, signal);
    // Without a signature, one of an earlier bundle would not fit.
    if (signature) await writeFile(`${path}.sig`, signature, { mode: MODE });
    else await rm(`${path}.sig`, { force: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * The archiver throws when it is destroyed in the middle of a file. So after a failure it is
 * abandoned: nothing reads from it, and its file is closed.
 */
async function writeTar(
  { archive, output }: { readonly archive: TarArchive; readonly output: Writable },
  files: readonly BundleFile[],
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const fail = (error: unknown) => failed.abort(error);
  const stop = AbortSignal.any([signal, failed.signal]);
  archive.on("error", fail);
  output.on("error", (cause) => fail(new SourceError(cause.message, { cause })));
  archive.pipe(output);
  try {
    for (const file of files) await append(archive, file, { fail, stop });
    archive.finalize().catch(fail);
    await finished(output, { signal: stop });
  } catch (error) {
    archive.unpipe(output);
    archive.abort();
    output.destroy();
    stop.throwIfAborted();
    throw error;
  }
}

type Failure = { readonly fail: (error: unknown) => void; readonly stop: AbortSignal };

/** Resolves when the archive has taken the file. */
async function append(
  archive: TarArchive,
  file: BundleFile,
  { fail, stop }: Failure,
): Promise<void> {
  const { name, size, content } = file;
  const entry = { name, date: TIME, mode: MODE };
  const isTaken = once(archive, "entry", { signal: stop });
  if (typeof content !== "function") {
    archive.append(Buffer.from(content), entry);
    await isTaken;
    return;
  }
  const body = Readable.from(verified(file, content()), { objectMode: false });
  body.once("error", fail);
  // The archiver reads the size alone; without it, it would keep the body in memory.
  archive.append(body, { ...entry, stats: { size } as Stats });
  try {
    await isTaken;
  } finally {
    body.destroy();
  }
}

async function* verified(
  { name, size, digest }: BundleFile,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = digest && createHash(algorithmOf(digest));
  let left = size;
  for await (const chunk of fromSource(body)) {
    left -= chunk.length;
    hash?.update(chunk);
    if (left < 0) break;
    yield chunk;
  }
  const isSame = digest === undefined || digest.endsWith(`:${hash?.digest("hex")}`);
  if (left !== 0 || !isSame) throw new SourceError(`The stored bytes of ${name} are damaged.`);
}
