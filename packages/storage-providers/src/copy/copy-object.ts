import { createHash } from "node:crypto";
import { guardedBody } from "../guarded-body.ts";
import type { ObjectInfo, ObjectKey, ObjectStore } from "../object-store.ts";
import { StorageError } from "../storage-error.ts";
import type { CopyJournal } from "./copy-journal.ts";
import type { StorePair } from "./same-store.ts";

/** An object of the source with its expected digest: `sha256:<hex>` or `sha512:<hex>`. */
export type SourceObject = { readonly info: ObjectInfo; readonly digest: string | undefined };

/** Stores and journal of a copy. */
export type ObjectCopy = StorePair & {
  readonly journal: CopyJournal;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Outcome for one object. `copied` and `verified` (at the target already) compared its digest;
 * `known` is in the journal; `gone` was deleted from the source since it was listed; `damaged` does
 * not have its digest in the source, and was not copied; `failed` has an error of a store.
 */
export type ObjectOutcome =
  | { readonly status: "copied" | "verified" | "known" | "gone" | "damaged" }
  | { readonly status: "failed"; readonly store: "source" | "target"; readonly error: unknown };

/** Copies an object, unless the target has the same bytes. Rejects when the signal aborts. */
export async function copyObject(copy: ObjectCopy, object: SourceObject): Promise<ObjectOutcome> {
  try {
    return (await compareTarget(copy, object)) ?? (await copyBytes(copy, object));
  } catch (error) {
    copy.signal?.throwIfAborted();
    if (!(error instanceof SourceError)) return { status: "failed", store: "target", error };
    if (await isGone(copy.from, object.info.key)) return { status: "gone" };
    return { status: "failed", store: "source", error: error.cause };
  }
}

/** Undefined when the target lacks the bytes. */
async function compareTarget(
  { from, to, journal, signal }: ObjectCopy,
  { info: source, digest }: SourceObject,
): Promise<ObjectOutcome | undefined> {
  const target = await to.stat(source.key);
  if (target?.size !== source.size) return undefined;
  if (journal.has({ source, target })) return { status: "known" };
  const expected = digest ?? (await digestOf(fromSource(from, source.key), "sha256", signal));
  const [algorithm = ""] = expected.split(":");
  if ((await digestOf(to.bytes(source.key), algorithm, signal)) !== expected) return undefined;
  await journal.add({ source, target });
  return { status: "verified" };
}

/** A body that does not have its digest ends with an error, so the target stores nothing. */
async function copyBytes(
  { from, to, journal, signal }: ObjectCopy,
  { info: source, digest }: SourceObject,
): Promise<ObjectOutcome> {
  const { key } = source;
  const body = checkedBody(fromSource(from, key), digest);
  try {
    const options = { existing: "replace", ...(signal && { signal }) } as const;
    const outcome = await to.write(key, body, options);
    const target = await to.stat(key);
    if (outcome.status !== "written" || target?.size !== outcome.size) throw notStored(key);
    await journal.add({ source, target });
    return { status: "copied" };
  } catch (error) {
    if (error instanceof DamageError) return { status: "damaged" };
    throw error;
  }
}

function notStored(key: ObjectKey): StorageError {
  const message = `cannot write ${key}: the target does not have the object after the write`;
  return new StorageError("storage-unavailable", message);
}

class DamageError extends Error {
  override readonly name = "DamageError";
}

/** An error of reading from the source; `cause` contains it. */
class SourceError extends Error {
  override readonly name = "SourceError";
}

async function* fromSource(store: ObjectStore, key: ObjectKey): AsyncGenerator<Uint8Array> {
  try {
    yield* store.bytes(key);
  } catch (cause) {
    throw new SourceError("could not read from the source", { cause });
  }
}

async function* checkedBody(
  chunks: AsyncIterable<Uint8Array>,
  digest: string | undefined,
): AsyncGenerator<Uint8Array> {
  const [algorithm = "sha256"] = digest?.split(":") ?? [];
  const hash = createHash(algorithm);
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  if (digest !== undefined && `${algorithm}:${hash.digest("hex")}` !== digest) {
    throw new DamageError("the bytes of the source do not have their digest");
  }
}

async function digestOf(
  chunks: AsyncIterable<Uint8Array>,
  algorithm: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const hash = createHash(algorithm);
  for await (const chunk of guardedBody(chunks, { ...(signal && { signal }) })) hash.update(chunk);
  return `${algorithm}:${hash.digest("hex")}`;
}

async function isGone(store: ObjectStore, key: ObjectKey): Promise<boolean> {
  try {
    return (await store.stat(key)) === undefined;
  } catch {
    return false; // the source does not even say
  }
}
