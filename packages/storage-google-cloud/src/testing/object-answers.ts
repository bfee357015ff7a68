import type { ServerResponse } from "node:http";
import type { Exchange } from "./exchange.ts";
import { sendError, sendJson } from "./exchange.ts";
import type { StoredObject } from "./stand-in-state.ts";

export type ObjectAddress = { readonly bucket: string; readonly name: string };

/** Resource of an object, with the fields that the driver reads and those next to them. */
export function resourceOf(bucket: string, object: StoredObject) {
  const time = object.createdAt.toISOString();
  return {
    kind: "storage#object",
    id: `${bucket}/${object.name}/${object.generation}`,
    name: object.name,
    bucket,
    generation: String(object.generation),
    size: String(object.size),
    contentType: "application/octet-stream",
    timeCreated: time,
    updated: time,
    metadata: object.metadata,
  };
}

export function describeObject({ response, state, query }: Exchange, address: ObjectAddress): void {
  const object = findObject(state, address, query);
  if (!object) return sendMissing({ response }, address);
  sendJson(response, 200, resourceOf(address.bucket, object));
}

export async function sendObject(exchange: Exchange, address: ObjectAddress): Promise<void> {
  const { request, response, state, query } = exchange;
  const object = findObject(state, address, query);
  if (!object) return sendMissing(exchange, address);
  const { size, generation } = object;
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const start = range ? Number(range[1]) : 0;
  const end = Math.min(range?.[2] ? Number(range[2]) : size - 1, size - 1);
  if (range && start >= size)
    return sendError(response, 416, { reason: "requestedRangeNotSatisfiable" });
  response.writeHead(range ? 206 : 200, {
    "content-type": "application/octet-stream",
    "content-length": end - start + 1,
    "x-goog-generation": String(generation),
    ...(range && { "content-range": `bytes ${start}-${end}/${size}` }),
  });
  for (const chunk of chunksWithin(object.chunks, start, end)) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

async function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once("drain", resolve).once("close", resolve);
  await promise;
  response.off("drain", resolve).off("close", resolve);
}

function* chunksWithin(chunks: readonly Buffer[], start: number, end: number): Generator<Buffer> {
  let offset = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(Math.max(0, start - offset), Math.max(0, end + 1 - offset));
    if (part.length > 0) yield part;
    offset += chunk.length;
  }
}

export function deleteObject({ response, state }: Exchange, address: ObjectAddress): void {
  const isDeleted = state.buckets.get(address.bucket)?.delete(address.name);
  if (isDeleted) response.writeHead(204).end();
  else sendMissing({ response }, address);
}

export function rewriteObject(exchange: Exchange, source: ObjectAddress, target: string): void {
  const { response, state, query } = exchange;
  const object = state.buckets.get(source.bucket)?.get(source.name);
  if (!object) return sendMissing(exchange, source);
  const step = Number(query.get("rewriteToken") ?? 0) + 1;
  if (step < state.copySteps) {
    return sendJson(response, 200, { done: false, rewriteToken: String(step) });
  }
  const copy = state.put(source.bucket, { ...object, name: target });
  sendJson(response, 200, { done: true, resource: resourceOf(source.bucket, copy) });
}

/** Lists in the order of names. A page token is the last name of the page before. */
export function listObjects({ response, state, query }: Exchange, bucket: string): void {
  const prefix = query.get("prefix") ?? "";
  const max = Math.min(Number(query.get("maxResults") ?? 1000), 1000);
  const after = query.get("pageToken") ?? "";
  const matching = [...(state.buckets.get(bucket)?.values() ?? [])]
    .filter(({ name }) => name.startsWith(prefix) && name > after)
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const page = matching.slice(0, max);
  const last = page.at(-1);
  sendJson(response, 200, {
    kind: "storage#objects",
    ...(page.length > 0 && { items: page.map((object) => resourceOf(bucket, object)) }),
    ...(matching.length > page.length && last && { nextPageToken: last.name }),
  });
}

function findObject(
  state: Exchange["state"],
  { bucket, name }: ObjectAddress,
  query: URLSearchParams,
): StoredObject | undefined {
  const object = state.buckets.get(bucket)?.get(name);
  const generation = query.get("generation");
  return generation === null || String(object?.generation) === generation ? object : undefined;
}

function sendMissing(
  { response }: Pick<Exchange, "response">,
  { bucket, name }: ObjectAddress,
): void {
  sendError(response, 404, { reason: "notFound", message: `No such object: ${bucket}/${name}` });
}
