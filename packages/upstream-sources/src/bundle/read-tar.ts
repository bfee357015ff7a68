import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Header } from "tar-stream";
import { isSourceError, SourceError } from "../source-error.ts";
import { INDEX_FILE, LAYOUT_FILE } from "./bundle-format.ts";
import { loadTar } from "./load-tar.ts";

/** Position of a file in a tar, in bytes. */
export type TarPlace = { readonly start: number; readonly size: number };

const ENTRIES_MAX = 1_000_000;
const READ_BYTES = 256 * 1024;
const BLOB = /^blobs\/(sha256|sha512)\/([0-9a-f]{64}|[0-9a-f]{128})$/;

/**
 * Reads a bundle from end to end, and compares every blob with its digest. Resolves to the places
 * of its files, so that they can be read in any order.
 * @throws {PeerMissingError} without the optional peer dependency `tar-stream`
 * @throws {SourceError} with the name of the entry that is refused
 */
export async function readTar(
  path: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, TarPlace>> {
  const { extract } = await loadTar("Reading a bundle", "tar-stream", () => import("tar-stream"));
  const places = new Map<string, TarPlace>();
  const entries = extract();
  const file = createReadStream(path, { highWaterMark: READ_BYTES });
  const reading = pipeline(file, entries, { signal });
  // Awaited below: the loop fails first.
  reading.catch(() => undefined);
  let last = "the beginning";
  try {
    for await (const entry of entries) {
      const { name } = entry.header;
      places.set(name, placeOf(entry.header, places));
      await checkContent(name, entry);
      last = name;
    }
    await reading;
  } catch (error) {
    signal.throwIfAborted();
    if (isSourceError(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SourceError(`${path} is not a whole tar: after ${last}: ${reason}.`, {
      cause: error,
    });
  }
  return places;
}

function placeOf(header: Header, places: ReadonlyMap<string, TarPlace>): TarPlace {
  const { name, type, size } = header;
  const refuse = (reason: string) => new SourceError(`The entry "${printable(name)}" ${reason}.`);
  if (name.startsWith("/") || name.split(/[/\\]/).includes("..")) {
    throw refuse("leads out of the bundle");
  }
  if (type !== "file") throw refuse(`is a ${type}, and not a file`);
  if (name !== LAYOUT_FILE && name !== INDEX_FILE && !BLOB.test(name)) {
    throw refuse("does not belong into a bundle");
  }
  if (places.has(name)) throw refuse("is there twice");
  if (places.size >= ENTRIES_MAX) throw refuse(`follows ${ENTRIES_MAX} others, which is too many`);
  const start: unknown = "byteOffset" in header ? header.byteOffset : undefined;
  if (typeof start !== "number" || !Number.isSafeInteger(start + size) || size < 0) {
    throw refuse("has an impossible size");
  }
  return { start, size };
}

/** Reads the entry to its end, because the next one follows. */
async function checkContent(name: string, content: AsyncIterable<unknown>): Promise<void> {
  const [, algorithm, hex] = BLOB.exec(name) ?? [];
  const hash = algorithm === undefined ? undefined : createHash(algorithm);
  for await (const chunk of content) if (chunk instanceof Uint8Array) hash?.update(chunk);
  if (hash && hash.digest("hex") !== hex) throw damaged(name);
}

export function damaged(name: string): SourceError {
  return new SourceError(`The entry "${name}" is damaged: its digest does not match.`);
}

function printable(name: string): string {
  return name.slice(0, 200).replace(/[^ -~]/g, "?");
}
