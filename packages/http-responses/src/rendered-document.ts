import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gzip, gzipSync, zstdCompress, zstdCompressSync } from "node:zlib";
import type { DocumentStore, StoredDocument } from "./stored-document.ts";

export type Rendering = {
  readonly contentType: string;
  /** Whether compressed forms are kept beside the document. Default true. */
  readonly compress?: boolean;
  readonly now?: () => Date;
};

export type DocumentAddress = Rendering & {
  /** Of the document itself; one per variant (public address, hive). */
  readonly key: string;
  /** What a change makes stale together: one package, one repository. */
  readonly group: string;
};

/** Undefined: there is no such document. */
export type Render = () => Promise<string | Uint8Array | undefined>;

/** Below this a compressed form saves less than the header that names it. */
const COMPRESSED_MIN_BYTES = 1024;
/** Up to this size compressing takes less than asking another thread to: half a millisecond. */
const AT_ONCE_BYTES_MAX = 16 * 1024;
const GZIP = { level: 6 };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

const compressGzip = promisify(gzip);
const compressZstd = promisify(zstdCompress);

/** Renders under way: one per store, key and revision. */
const underWay = new WeakMap<DocumentStore, Map<string, Promise<StoredDocument | undefined>>>();

/**
 * The stored document, rendered and kept when there is none. Readers that come while it is rendered
 * wait for that one rendering, unless the group changed in between: then it would show them an old
 * state after the change was acknowledged, so they render anew.
 */
export async function documentOf(
  store: DocumentStore,
  address: DocumentAddress,
  render: Render,
): Promise<StoredDocument | undefined> {
  const stored = await store.read(address.key);
  if (stored) return stored;
  const revision = await store.revision(address.group);
  const flights = flightsOf(store);
  const flight = `${revision} ${address.key}`;
  const known = flights.get(flight);
  if (known) return known;
  const rendering = renderAndKeep(store, address, { revision, render });
  flights.set(flight, rendering);
  try {
    return await rendering;
  } finally {
    flights.delete(flight);
  }
}

/** A document for one answer, or to be kept: with its entity tag and its compressed forms. */
export async function renderDocument(
  content: string | Uint8Array,
  { contentType, compress = true, now = () => new Date() }: Rendering,
): Promise<StoredDocument> {
  const identity = typeof content === "string" ? Buffer.from(content) : content;
  const etag = createHash("sha256").update(identity).digest("base64url").slice(0, 27);
  const plain = { etag, contentType, modifiedAt: now(), identity };
  if (!compress || identity.length < COMPRESSED_MIN_BYTES) return plain;
  const [gzipped, zstandard] =
    identity.length <= AT_ONCE_BYTES_MAX
      ? [gzipSync(identity, GZIP), zstdCompressSync(identity, ZSTD)]
      : await Promise.all([compressGzip(identity, GZIP), compressZstd(identity, ZSTD)]);
  return {
    ...plain,
    ...(gzipped.length < identity.length && { gzip: gzipped }),
    ...(zstandard.length < identity.length && { zstd: zstandard }),
  };
}

async function renderAndKeep(
  store: DocumentStore,
  address: DocumentAddress,
  { revision, render }: { readonly revision: number; readonly render: Render },
): Promise<StoredDocument | undefined> {
  const content = await render();
  if (content === undefined) return undefined;
  const document = await renderDocument(content, address);
  await store.keep({ key: address.key, group: address.group, revision, document });
  return document;
}

function flightsOf(store: DocumentStore): Map<string, Promise<StoredDocument | undefined>> {
  const known = underWay.get(store);
  if (known) return known;
  const flights = new Map<string, Promise<StoredDocument | undefined>>();
  underWay.set(store, flights);
  return flights;
}
