import type { ObjectInfo, ObjectStore } from "./object-store.ts";

export type Age = {
  readonly olderThan: Date;
  readonly signal?: AbortSignal;
  /** Keys per batch, 1 to 10,000. Default 500. */
  readonly batch?: number;
};

/** Yields objects below a prefix that are older than the limit, in batches. */
export async function* oldObjects(
  store: ObjectStore,
  folder: string,
  { olderThan, signal, batch: size = 500 }: Age,
): AsyncGenerator<readonly ObjectInfo[], void, undefined> {
  let batch: ObjectInfo[] = [];
  for await (const info of store.list(folder)) {
    signal?.throwIfAborted();
    if (info.modifiedAt >= olderThan) continue;
    batch.push(info);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
