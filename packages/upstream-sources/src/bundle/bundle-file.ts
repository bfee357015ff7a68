import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { KeyObject } from "node:crypto";
import type { Digest } from "@sealhouse/oci-distribution";
import { algorithmOf } from "@sealhouse/oci-distribution";
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

/** A bundle on disk whose blobs have their digests. */
export type BundleFile = {
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
  const readFrom = (name: string, bodySignal?: AbortSignal) => {
    const place = places.get(name);
    if (!place) throw new SourceError(`The bundle has no entry "${name}".`);
    if (place.size === 0) return nothing();
    const range = { start: place.start, end: place.start + place.size - 1 };
    return fileFromSource(path, { ...range, ...(bodySignal && { signal: bodySignal }) });
  };
  const hasSize = places.get(LAYOUT_FILE)?.size === LAYOUT_TEXT.length;
  const layout = hasSize ? await whole(readFrom(LAYOUT_FILE)) : [];
  if (Buffer.from(layout).toString() !== LAYOUT_TEXT) {
    throw new SourceError(`The entry "${LAYOUT_FILE}" is missing or not that of a bundle.`);
  }
  if ((places.get(INDEX_FILE)?.size ?? 0) > INDEX_BYTES_MAX) {
    throw new SourceError(`The entry "${INDEX_FILE}" is larger than ${INDEX_BYTES_MAX} bytes.`);
  }
  const index = await whole(readFrom(INDEX_FILE));
  await checkSignature(index, trust);
  const sizeOf = (digest: Digest) => places.get(blobFile(digest))?.size;
  const read = (digest: Digest, bodySignal?: AbortSignal) =>
    withDigest(readFrom(blobFile(digest), bodySignal), digest);
  return {
    index,
    blobs: new Set([...places.keys()].filter((name) => name.startsWith("blobs/"))),
    sizeOf,
    read,
    async readWhole(digest, maxBytes) {
      if ((sizeOf(digest) ?? 0) > maxBytes) {
        throw new SourceError(`The entry "${blobFile(digest)}" is larger than ${maxBytes} bytes.`);
      }
      return whole(read(digest));
    },
  };
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

async function whole(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {
  // An empty blob.
}
