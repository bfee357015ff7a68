import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { KeyObject } from "node:crypto";
import type { Digest } from "@sealhouse/oci-distribution";
import { algorithmOf, digestOf } from "@sealhouse/oci-distribution";
import { SourceError, fileFromSource, throwSourceError } from "../source-error.ts";
import {
  blobFile,
  INDEX_BYTES_MAX,
  INDEX_FILE,
  LAYOUT_FILE,
  LAYOUT_TEXT,
} from "./bundle-format.ts";
import { isSignedIndex } from "./bundle-key.ts";
import { damaged, readTar } from "./read-tar.ts";
import type { TarPlace } from "./read-tar.ts";

/** A bundle on disk whose blobs have their digests. */
export type BundleFile = AsyncDisposable & {
  /** Bytes of the index, whose signature fits. */
  readonly index: Uint8Array;
  /** All blobs, by the names of their files. */
  readonly blobs: ReadonlySet<string>;
  sizeOf(digest: Digest): number | undefined;
  /** Reads a blob, and compares its digest again. @throws {SourceError} */
  read(digest: Digest, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** @throws {SourceError} for a missing blob, or one with more bytes */
  readWhole(digest: Digest, maxBytes: number): Promise<Uint8Array>;
};

/** Who signed a bundle. */
export type BundleTrust =
  | { readonly type: "key"; readonly key: KeyObject; readonly signaturePath: string }
  /** Accepts every bundle. */
  | { readonly type: "unsigned" };

/** @throws {SourceError} for a damaged bundle, or without the signature of the trusted key */
export async function openBundleFile(
  path: string,
  { trust, signal }: { readonly trust: BundleTrust; readonly signal: AbortSignal },
): Promise<BundleFile> {
  const places = await readTar(path, signal);
  const handle = await open(path).catch(throwSourceError);
  const file = bundleFile(path, places, handle);
  try {
    await checkLayout(() => file.readNamed(LAYOUT_FILE, LAYOUT_TEXT.length));
    const index = await file.readNamed(INDEX_FILE, INDEX_BYTES_MAX);
    await checkSignature(index, trust);
    return { ...file, index };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function bundleFile(
  path: string,
  places: ReadonlyMap<string, TarPlace>,
  handle: FileHandle,
): Omit<BundleFile, "index"> & {
  readonly readNamed: (name: string, maxBytes: number) => Promise<Uint8Array>;
} {
  const placeOf = (name: string) => {
    const place = places.get(name);
    if (!place) throw new SourceError(`The bundle has no entry "${name}".`);
    return place;
  };
  const readNamed = async (name: string, maxBytes: number) => {
    const { start, size } = placeOf(name);
    if (size > maxBytes) {
      throw new SourceError(`The entry "${name}" is larger than ${maxBytes} bytes.`);
    }
    const reading = handle.read(Buffer.alloc(size), 0, size, start).catch(throwSourceError);
    const { buffer, bytesRead } = await reading;
    return buffer.subarray(0, bytesRead);
  };
  return {
    readNamed,
    blobs: new Set([...places.keys()].filter((name) => name.startsWith("blobs/"))),
    sizeOf: (digest) => places.get(blobFile(digest))?.size,
    read(digest, bodySignal) {
      const { start, size } = placeOf(blobFile(digest));
      const range = { start, end: start + size - 1, ...(bodySignal && { signal: bodySignal }) };
      return withDigest(size === 0 ? nothing() : fileFromSource(path, range), digest);
    },
    async readWhole(digest, maxBytes) {
      const name = blobFile(digest);
      const bytes = await readNamed(name, maxBytes);
      if (digestOf(bytes, algorithmOf(digest)) !== digest) throw damaged(name);
      return bytes;
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function checkLayout(read: () => Promise<Uint8Array>): Promise<void> {
  const bytes = await read().catch(() => Buffer.alloc(0));
  if (Buffer.from(bytes).toString() === LAYOUT_TEXT) return;
  throw new SourceError(`The entry "${LAYOUT_FILE}" is missing or not that of a bundle.`);
}

async function checkSignature(index: Uint8Array, trust: BundleTrust): Promise<void> {
  if (trust.type === "unsigned") return;
  const signature = await readFile(trust.signaturePath).catch(throwSourceError);
  if (isSignedIndex(trust.key, index, signature)) return;
  throw new SourceError(
    `The signature of "${INDEX_FILE}" does not fit the trusted key: the index was changed, ` +
      "another key signed it, or the signature belongs to another bundle.",
  );
}

async function* withDigest(
  body: AsyncIterable<Uint8Array>,
  digest: Digest,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash(algorithmOf(digest));
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
  if (!digest.endsWith(`:${hash.digest("hex")}`)) throw damaged(blobFile(digest));
}

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {
  // An empty blob.
}
