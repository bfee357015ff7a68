import type { Caller } from "@sealhouse/request-types";
import { createHash } from "node:crypto";
import type { Digest } from "../digest.ts";
import { algorithmOf } from "../digest.ts";
import { allEnded } from "@sealhouse/http-responses/outgoing";
import { OciError } from "../errors.ts";
import type { IdleUploads, OciPorts, StagedBlob, UploadSession } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { ContentRange } from "./content-range.ts";
import { following, measured, tooLarge, unlessEmpty, wholeIfSmall } from "./received-body.ts";
import type { UploadIds } from "./upload-ids.ts";
import type { UploadExpiry } from "./upload-limit.ts";
import { limitedUploads, requireRoom } from "./upload-limit.ts";
import type { Writer } from "./writer-claim.ts";
import { busy, withClaim } from "./writer-claim.ts";

/** Ports of uploads, ids of writers, and the maximum size of a blob in bytes. */
export type Uploading = Pick<OciPorts, "uploads" | "files" | "blobs"> & {
  readonly ids: UploadIds;
  readonly newId: () => string;
  readonly maxBlobBytes: number;
  /** Undefined: sessions end with the sweep. */
  readonly expiry?: UploadExpiry;
  /** Caller of the upload; undefined for the host itself. */
  readonly caller?: Caller;
  /** Whether the caller may pull from a repository; undefined for the host itself. */
  readonly mayPull?: (repository: RepositoryName) => boolean;
};

/** A request body with its length and range headers. */
export type Chunk = {
  readonly body: AsyncIterable<Uint8Array>;
  /** From `Content-Length`. */
  readonly length?: number;
  /** From `Content-Range`. */
  readonly range?: ContentRange;
};

/** The chunk does not start at the offset of the upload. Answer 416. */
export class OutOfOrder extends Error {
  override readonly name = "OutOfOrder";
  readonly code = "upload-out-of-order";
  readonly session: UploadSession;

  constructor(session: UploadSession) {
    super(`the upload continues at byte ${session.offset}`);
    this.session = session;
  }
}

/**
 * Appends the body of one request to an upload and resolves to the new offset. Atomic: if the body
 * ends early or does not have the announced length, the upload does not change. Throws 429
 * `TOOMANYREQUESTS` for the first data of an upload whose owner has `OPEN_UPLOADS_MAX` others.
 */
export async function appendChunk(
  uploading: Uploading,
  session: UploadSession,
  chunk: Chunk,
): Promise<number> {
  if (session.isNew && chunk.length !== 0) await requireRoom(uploading, session);
  if (!session.isNew || !mayBeSmall(chunk)) return appendClaimed(uploading, session, chunk);
  return uploading.ids.alone(session.id, () => begin(uploading, session, chunk));
}

/**
 * Appends the last chunk, if any, and links the blob. If the bytes do not match `digest`, ends the
 * upload and deletes its bytes. If the body ends early, the upload does not change.
 */
export async function closeUpload(
  uploading: Uploading,
  session: UploadSession,
  chunk: Chunk,
  digest: Digest,
): Promise<void> {
  if (isSmall(session, chunk)) {
    const close = () => closeAtOnce(uploading, session, chunk, digest);
    return session.isNew ? uploading.ids.alone(session.id, close) : close();
  }
  if (session.isNew) await requireRoom(uploading, session);
  await withClaim(limitedUploads(uploading), session, uploading.newId(), async (writer) => {
    const { uploads, ids } = uploading;
    const received = await receiveRest(uploading, writer, chunk, digest);
    await uploads.remove(session.id);
    ids.end(session.id);
    writer.left();
    if (!hasDigest(received, digest)) throw mismatch(received, digest);
  });
}

/** Stores and links a complete blob from one request, without a session. */
export async function storeBlob(
  uploading: Pick<Uploading, "files" | "blobs" | "maxBlobBytes" | "caller">,
  repository: RepositoryName,
  chunk: Chunk,
  digest: Digest,
): Promise<void> {
  const hashes = [algorithmOf(digest)];
  await using staged = await uploading.files.stage(checked(uploading, chunk, 0), { hashes });
  if (!hasDigest(staged, digest)) throw mismatch(staged, digest);
  await nameBlob(uploading, repository, staged, digest);
}

/** Cancels an upload and deletes its bytes. */
export async function cancelUpload(uploading: Uploading, session: UploadSession): Promise<void> {
  const { uploads, files, ids } = uploading;
  const { id, repository, isNew } = session;
  if (!isNew) {
    await withClaim(uploads, session, uploading.newId(), async () => {
      await uploads.remove(id);
      await files.drop(id);
    });
  }
  // Gives the id an owner without a caller, so that no instance takes it for a new upload.
  const isAlone = await uploads.create({ id, repository, owner: "", offset: 0 });
  if (isNew && !isAlone) throw busy();
  ids.end(id);
}

const SWEEP_BATCH = 100;

/**
 * Deletes the uploads without activity since `idleSince`. Deletes rows before bytes, so that a
 * crash leaves only unreferenced bytes. `signal` stops it after the current batch. Resolves to the
 * number of deleted uploads.
 */
export async function sweepUploads(
  {
    uploads,
    files,
  }: {
    readonly uploads: IdleUploads;
    readonly files: Pick<OciPorts["files"], "drop">;
  },
  idleSince: Date,
  signal?: AbortSignal,
): Promise<number> {
  let swept = 0;
  for (;;) {
    const ids = await uploads.expire(idleSince, SWEEP_BATCH);
    for (const id of ids) await files.drop(id);
    swept += ids.length;
    if (ids.length < SWEEP_BATCH || signal?.aborted) return swept;
  }
}

/** Maximum size of a small body, which arrives before another request can start to write. */
const SMALL_BYTES = 256 * 1024;
/** Maximum number of bytes that are stored in the row of the session. */
const KEPT_BYTES = 64 * 1024;

function mayBeSmall({ length = 0, range }: Chunk): boolean {
  return length <= KEPT_BYTES && range === undefined;
}

/** Stores the first bytes of an upload, if they are few, with its row. This takes one commit and no
 * file, instead of two commits and a file. */
async function begin(uploading: Uploading, session: UploadSession, chunk: Chunk): Promise<number> {
  const body = await wholeIfSmall(checked(uploading, chunk, 0), KEPT_BYTES);
  if (!(body instanceof Uint8Array)) {
    try {
      return await appendClaimed(uploading, session, { ...chunk, body });
    } finally {
      // The body may not have been read.
      await body.return(undefined);
    }
  }
  const offset = body.length;
  if (offset === 0) return 0;
  const kept = { ...session, offset, bytes: body };
  if (await limitedUploads(uploading).create(kept)) return offset;
  throw busy();
}

function appendClaimed(
  uploading: Uploading,
  session: UploadSession,
  chunk: Chunk,
): Promise<number> {
  return withClaim(limitedUploads(uploading), session, uploading.newId(), (writer) =>
    append(uploading, writer, chunk, { last: true }),
  );
}

/** Returns true if the whole upload, with this chunk, fits in memory. */
function isSmall({ offset, bytes }: UploadSession, { length, range }: Chunk): boolean {
  const isHeld = offset === 0 || bytes !== undefined;
  return isHeld && range === undefined && length !== undefined && length <= SMALL_BYTES;
}

/** Closes an upload with a small body. Claims the session only at the end, in the transaction that
 * links the blob: one commit instead of four. */
async function closeAtOnce(
  uploading: Uploading,
  session: UploadSession,
  chunk: Chunk,
  digest: Digest,
): Promise<void> {
  const { uploads, files, ids } = uploading;
  const { id, repository, offset, bytes, isNew } = session;
  const hashes = [algorithmOf(digest)];
  const body = following(bytes, checked(uploading, chunk, offset));
  await using staged = await files.stage(body, { hashes });
  const isRight = hasDigest(staged, digest);
  const isRepeated = isNew && staged.size === 0 && !isRight;
  if (isRepeated && (await wasClosed(uploading, repository, digest))) return;
  // Stores the bytes before the transaction that ends the session and links the blob.
  if (isRight) await staged.keep();
  const linking = isRight ? nameBlob(uploading, repository, staged, digest) : undefined;
  const taking = isNew === true ? undefined : uploads.take(id, offset);
  // The transaction that links the blob must not end after the caller has given up.
  await allEnded<unknown>([Promise.resolve(taking), Promise.resolve(linking)]);
  const isTaken = isNew ?? (await taking);
  if (!isTaken) throw (await uploads.find(id)) ? busy() : new OciError("BLOB_UPLOAD_UNKNOWN");
  ids.end(id);
  if (!isRight) throw mismatch(staged, digest);
}

/**
 * Whether an upload without bytes that looks new was closed with this digest before, at another
 * instance: its answer was lost, and a proxy or the client has repeated the request. A caller that
 * may not pull learns nothing.
 */
async function wasClosed(
  { blobs, files, mayPull }: Pick<Uploading, "blobs" | "files" | "mayPull">,
  repository: RepositoryName,
  digest: Digest,
): Promise<boolean> {
  if (mayPull?.(repository) !== true) return false;
  const blob = await blobs.find(repository, digest);
  return blob !== undefined && files.isPresent(blob);
}

async function append(
  uploading: Uploading,
  writer: Writer,
  chunk: Chunk,
  options: { readonly last?: boolean } = {},
): Promise<number> {
  const { session, signal } = writer;
  const body = await bodyOf(uploading, chunk, session);
  if (!body) return session.offset;
  const hashes = [session.algorithm ?? "sha256"] as const;
  const { id, offset, bytes } = session;
  if (bytes) await uploading.files.append(id, 0, following(bytes), { hashes, signal });
  const reached = await uploading.files.append(id, offset, body, { hashes, signal });
  if (!(await uploading.uploads.advance(id, writer.id, reached, options))) throw busy();
  if (options.last) writer.left();
  return reached;
}

/** Receives the last bytes, and links the blob if its digest and size match. */
async function receiveRest(
  uploading: Uploading,
  writer: Writer,
  chunk: Chunk,
  digest: Digest,
): Promise<Received> {
  const { session, signal } = writer;
  const isWhole = session.offset === 0;
  if (isWhole && (await uploading.blobs.isKnown(digest))) {
    checkOrder(chunk, session);
    const received = await hashOf(checked(uploading, chunk, 0), digest, signal);
    if (hasDigest(received, digest)) await linkKnown(uploading, session.repository, digest);
    return received;
  }
  await using staged = await stageWhole(uploading, writer, chunk, digest);
  if (hasDigest(staged, digest)) await nameBlob(uploading, session.repository, staged, digest);
  return staged;
}

type Received = {
  readonly size: number;
  /** Contains at least the digest of the requested algorithm. */
  readonly digests: Partial<StagedBlob["digests"]>;
};

/** Hashes a body whose bytes are already stored: a client that has all of them may link the
 * blob. */
async function hashOf(
  body: AsyncIterable<Uint8Array>,
  digest: Digest,
  signal: AbortSignal,
): Promise<Received> {
  const algorithm = algorithmOf(digest);
  const hash = createHash(algorithm);
  let size = 0;
  for await (const chunk of body) {
    signal.throwIfAborted();
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, digests: { [algorithm]: hash.digest("hex") } };
}

async function linkKnown(
  { blobs, caller }: Pick<Uploading, "blobs" | "caller">,
  repository: RepositoryName,
  digest: Digest,
): Promise<void> {
  if (await blobs.mount(repository, digest, { mayPull: () => true, caller })) return;
  const message =
    "the same bytes were deleted in another repository during the push; push them again";
  throw new OciError("BLOB_UPLOAD_INVALID", { status: 409, message });
}

/** Stages a complete body of a new session directly. This is the common case. */
async function stageWhole(
  uploading: Uploading,
  writer: Writer,
  chunk: Chunk,
  digest: Digest,
): Promise<StagedBlob> {
  const { session, signal } = writer;
  const hashes = [algorithmOf(digest)];
  const { offset, bytes } = session;
  if (offset === 0 || bytes) {
    checkOrder(chunk, session);
    const body = following(bytes, checked(uploading, chunk, offset));
    return uploading.files.stage(body, { hashes, signal });
  }
  const size = await append(uploading, writer, chunk);
  return uploading.files.assemble(session.id, size, { hashes });
}

async function nameBlob(
  { blobs, caller }: Pick<Uploading, "blobs" | "caller">,
  repository: RepositoryName,
  staged: StagedBlob,
  digest: Digest,
): Promise<void> {
  const savedBlob = await staged.keep();
  const { isDuplicate } = await blobs.link(repository, { ...savedBlob, digest }, caller);
  if (!isDuplicate) return;
  // The blob is already linked and durable. A sweep finds a copy that is left over.
  await savedBlob.discard().catch(() => undefined);
}

async function bodyOf(
  uploading: Uploading,
  chunk: Chunk,
  session: UploadSession,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  checkOrder(chunk, session);
  const body = checked(uploading, chunk, session.offset);
  if (chunk.length === 0) return undefined;
  return chunk.length === undefined ? unlessEmpty(body) : body;
}

function checkOrder({ range }: Chunk, session: UploadSession): void {
  if (range && range.start !== session.offset) throw new OutOfOrder(session);
}

/** Refuses wrong lengths: before the first byte if the headers show them, otherwise while
 * reading. */
function checked(
  { maxBlobBytes }: Pick<Uploading, "maxBlobBytes">,
  { body, length, range }: Chunk,
  offset: number,
): AsyncIterable<Uint8Array> {
  const ranged = range && range.end - range.start + 1;
  if (ranged !== undefined && length !== undefined && ranged !== length) {
    const message = `Content-Range covers ${ranged} bytes, Content-Length is ${length}`;
    throw new OciError("SIZE_INVALID", { message });
  }
  const expected = length ?? ranged;
  if (offset + (expected ?? 0) > maxBlobBytes) throw tooLarge(maxBlobBytes);
  return measured(body, { offset, maxBlobBytes, ...(expected !== undefined && { expected }) });
}

function hasDigest({ digests }: Received, digest: Digest): boolean {
  const algorithm = algorithmOf(digest);
  return `${algorithm}:${digests[algorithm] ?? ""}` === digest;
}

function mismatch({ digests, size }: Received, digest: Digest): OciError {
  const algorithm = algorithmOf(digest);
  const received = `${algorithm}:${digests[algorithm] ?? ""}`;
  return new OciError("DIGEST_INVALID", { details: [{ digest, received, size }] });
}
