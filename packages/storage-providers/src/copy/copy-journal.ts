import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type { ObjectInfo } from "../object-store.ts";
import { createFingerprints } from "./fingerprints.ts";
import type { Fingerprints } from "./fingerprints.ts";
import { StoreCopyError } from "./store-copy-error.ts";

/** An object with the same bytes in both stores. */
export type VerifiedObject = { readonly source: ObjectInfo; readonly target: ObjectInfo };

/** Objects that a copy has verified, for its next run. */
export interface CopyJournal {
  /** Whether the pair was verified, and neither object was written since. */
  has(pair: VerifiedObject): boolean;
  add(pair: VerifiedObject): Promise<void>;
}

/** First line; then one line for each verified object, with the digits of its fingerprint. */
const HEAD = "sealhouse storage copy, journal 1\n";
const DIGITS = 16;
const LINE_BYTES = DIGITS + 1;
const READ_BYTES = 4096 * LINE_BYTES;
const LINE = /^[0-9a-f]{16}\n$/;

/**
 * Opens a journal file; a missing one is created. A kill costs at most the last line, whose object
 * is then verified again. Its memory is 32 bytes for each object.
 *
 * @throws StoreCopyError `storage-copy-bad-journal` for another file; file system errors propagate
 */
export async function openCopyJournal(path: string): Promise<CopyJournal & AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const file = opening.use(await open(path, "a+", 0o600));
  const fingerprints = createFingerprints();
  const { size } = await file.stat();
  if (size === 0) await file.appendFile(HEAD);
  else await file.truncate(await load(file, path, fingerprints));
  const owned = opening.move();
  return {
    has: (pair) => fingerprints.has(fingerprintOf(pair)),
    async add(pair) {
      const fingerprint = fingerprintOf(pair);
      fingerprints.add(fingerprint);
      await file.appendFile(`${fingerprint.toString(16).padStart(DIGITS, "0")}\n`);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Resolves to the length without an incomplete last line. */
async function load(file: FileHandle, path: string, fingerprints: Fingerprints): Promise<number> {
  const head = Buffer.alloc(HEAD.length);
  await file.read(head, 0, HEAD.length, 0);
  if (head.toString("latin1") !== HEAD) throw badJournal(path);
  const block = Buffer.alloc(READ_BYTES);
  for (let position = HEAD.length; ;) {
    const { bytesRead } = await file.read(block, 0, READ_BYTES, position);
    const wholeBytes = bytesRead - (bytesRead % LINE_BYTES);
    for (let start = 0; start < wholeBytes; start += LINE_BYTES) {
      const line = block.toString("latin1", start, start + LINE_BYTES);
      if (!LINE.test(line)) throw badJournal(path);
      fingerprints.add(BigInt(`0x${line.trimEnd()}`));
    }
    position += wholeBytes;
    if (wholeBytes === 0) return position;
  }
}

function fingerprintOf({ source, target }: VerifiedObject): bigint {
  const { key, size, modifiedAt } = source;
  const text = JSON.stringify([key, size, modifiedAt.getTime(), target.modifiedAt.getTime()]);
  return createHash("sha256").update(text).digest().readBigUInt64BE();
}

function badJournal(path: string): StoreCopyError {
  const message = `${path} is not the journal of a storage copy. Use another file.`;
  return new StoreCopyError("storage-copy-bad-journal", message);
}
