import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import type { ObjectStore } from "../object-store.ts";
import { parseObjectKey } from "../object-store.ts";

/** Yields one chunk per text. */
export async function* bytes(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

/** Yields half a body and throws, like the upload of a disconnected client. */
export async function* torn(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("half");
  throw new Error("connection reset");
}

/** Yields `size` incompressible bytes that depend only on the seed. */
export async function* noise(size: number, seed = 1): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.alloc(64 * 1024);
  for (let offset = 0; offset < size; offset += chunk.length) {
    const block = createHash("sha512").update(`${seed}:${offset}`).digest();
    for (let to = 0; to < chunk.length; to += block.length) block.copy(chunk, to);
    yield Buffer.from(chunk.subarray(0, Math.min(chunk.length, size - offset)));
  }
}

export async function sha256Of(body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of body) hash.update(chunk);
  return hash.digest("hex");
}

/** The whole body as text. */
export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  return (await buffer(body)).toString();
}

/** All keys below a prefix, sorted. */
export async function keysIn(store: ObjectStore, prefix = ""): Promise<readonly string[]> {
  return (await Array.fromAsync(store.list(prefix))).map(({ key }): string => key).toSorted();
}

export async function put(store: ObjectStore, key: string, text: string): Promise<void> {
  await store.write(parseObjectKey(key), bytes(text), { existing: "replace" });
}

/** Returns the text of an object; undefined when the object does not exist. */
export async function get(store: ObjectStore, key: string): Promise<string | undefined> {
  const storedObject = await store.read(parseObjectKey(key));
  return storedObject && (await textOf(storedObject.body));
}
