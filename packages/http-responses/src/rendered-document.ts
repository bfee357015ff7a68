import { createHash } from "node:crypto";
import { compress as compressLater, compressAtOnce, COMPRESSED_MIN_BYTES } from "./compression.ts";
import type { DocumentStore, StoredDocument } from "./stored-document.ts";

/** Options of a rendering: its content type, compression and clock. */
export type Rendering = {
  readonly contentType: string;
  /** Whether compressed forms are stored with the document. Default true. */
  readonly compress?: boolean;
  readonly now?: () => Date;
};

/** Key and group of a document in the store, with its rendering options. */
export type DocumentAddress = Rendering & {
  /** Key of the document. Each variant (public address, hive) has a separate key. */
  readonly key: string;
  /** Documents that a change invalidates together: those of one package or one repository. */
  readonly group: string;
};

/** Renders the content of a document; undefined if the document does not exist. */
export type Render = () => Promise<string | Uint8Array | undefined>;

/** Up to this size, compression in this thread (0.5 ms) is cheaper than a call to another
 * thread. */
const AT_ONCE_BYTES_MAX = 16 * 1024;

/** Renderings in progress: one per store, key and revision. */
const underWay = new WeakMap<DocumentStore, Map<string, Promise<StoredDocument | undefined>>>();

/**
 * Returns the stored document, or renders and stores it. Concurrent readers share one rendering,
 * unless the store says that the running request must not.
 * Readers that come after a change of the group start a new rendering, because the one in progress
 * may show the state before the change.
 */
export async function documentOf(
  store: DocumentStore,
  address: DocumentAddress,
  render: Render,
): Promise<StoredDocument | undefined> {
  const stored = await store.read(address.key);
  if (stored) return stored;
  const revision = await store.revision(address.group);
  if (store.sharesRenderings?.() === false) {
    const { document, kept } = await renderAndKeep(store, address, { revision, render });
    kept?.catch(() => undefined);
    return document;
  }
  const flights = flightsOf(store);
  const flight = `${revision} ${address.key}`;
  const openFlight = flights.get(flight);
  if (openFlight) return openFlight;
  const rendering = renderAndKeep(store, address, { revision, render });
  const rendered = rendering.then(({ document }) => document);
  flights.set(flight, rendered);
  const forget = () => flights.delete(flight);
  rendering.then(({ kept }) => kept).then(forget, forget);
  return rendered;
}

/** Makes a document from its content, with entity tag and compressed forms. Does not store it. */
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
      ? [compressAtOnce.gzip(identity), compressAtOnce.zstd(identity)]
      : await Promise.all([compressLater.gzip(identity), compressLater.zstd(identity)]);
  return {
    ...plain,
    ...(gzipped.length < identity.length && { gzip: gzipped }),
    ...(zstandard.length < identity.length && { zstd: zstandard }),
  };
}

/** Bytes of documents that are being stored while they are already answered. */
let storing = 0;
const STORING_BYTES_MAX = 8 * 1024 * 1024;

/** Returns the document before it is stored, unless much is being stored already. */
async function renderAndKeep(
  store: DocumentStore,
  address: DocumentAddress,
  { revision, render }: { readonly revision: number; readonly render: Render },
): Promise<{ readonly document: StoredDocument | undefined; readonly kept?: Promise<void> }> {
  const content = await render();
  if (content === undefined) return { document: undefined };
  const document = await renderDocument(content, address);
  const { length } = document.identity;
  storing += length;
  const kept = store
    .keep({ key: address.key, group: address.group, revision, document })
    .finally(() => (storing -= length));
  if (storing > STORING_BYTES_MAX) await kept;
  return { document, kept };
}

function flightsOf(store: DocumentStore): Map<string, Promise<StoredDocument | undefined>> {
  const openFlights = underWay.get(store);
  if (openFlights) return openFlights;
  const flights = new Map<string, Promise<StoredDocument | undefined>>();
  underWay.set(store, flights);
  return flights;
}
