import { buffer, text } from "node:stream/consumers";
import type { Exchange } from "./exchange.ts";
import { sendError, sendJson } from "./exchange.ts";
import { resourceOf } from "./object-answers.ts";
import type { Session } from "./stand-in-state.ts";

/** Answers simple uploads, and the requests of resumable ones. */
export async function receiveUpload(exchange: Exchange, bucket: string): Promise<void> {
  const { request, response, state, query } = exchange;
  const id = query.get("upload_id");
  if (id !== null) return receivePart(exchange, id);
  const name = query.get("name") ?? "";
  const generation = generationIn(query);
  if (query.get("uploadType") === "resumable") {
    const body = await text(request);
    const { metadata = {} } = JSON.parse(body || "{}") as Partial<Session>;
    if (isRefused(exchange, { bucket, name, generation })) return sendError(response, 412, FAILED);
    const session = state.openSession({ bucket, name, metadata, generation });
    const path = `/upload/storage/v1/b/${bucket}/o?uploadType=resumable&upload_id=${session}`;
    const location = `http://${request.headers.host}${path}`;
    return sendJson(response, 200, {}, { location });
  }
  const bytes = await buffer(request);
  if (isRefused(exchange, { bucket, name, generation })) return sendError(response, 412, FAILED);
  const object = { name, chunks: [bytes], size: bytes.length, metadata: {} };
  sendJson(response, 200, resourceOf(bucket, state.put(bucket, object)));
}

const FAILED = {
  reason: "conditionNotMet",
  message: "At least one of the conditions did not hold.",
};

/** A part, a question about what has arrived, or the end of a session. */
async function receivePart(exchange: Exchange, id: string): Promise<void> {
  const { request, response, state } = exchange;
  const session = state.sessions.get(id);
  if (!session) return sendError(response, 404, { reason: "notFound" });
  if (request.method === "DELETE") {
    state.sessions.delete(id);
    response.writeHead(499).end();
    return;
  }
  const range = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(request.headers["content-range"] ?? "");
  if (!range) return sendError(response, 400, { reason: "invalid" });
  const [, start, , total] = range;
  if (session.object) return sendJson(response, 200, resourceOf(session.bucket, session.object));
  if (start !== undefined && Number(start) !== session.size) {
    return sendError(response, 503, { reason: "backendError" });
  }
  await storePart(exchange, session);
  if (total === "*" || session.size < Number(total)) {
    const stored = session.size > 0 ? { range: `bytes=0-${session.size - 1}` } : {};
    response.writeHead(308, stored).end();
    return;
  }
  if (isRefused(exchange, session)) return sendError(response, 412, FAILED);
  session.object = state.put(session.bucket, session);
  sendJson(response, 200, resourceOf(session.bucket, session.object));
}

/** Stores what arrives, in units of 256 KiB when the request ends early. */
async function storePart({ request, state }: Exchange, session: Session): Promise<void> {
  const arrived: Buffer[] = [];
  let isWhole = true;
  try {
    for await (const chunk of request) if (Buffer.isBuffer(chunk)) arrived.push(chunk);
  } catch {
    isWhole = false;
  }
  const bytes = Buffer.concat(arrived);
  const stored =
    isWhole && bytes.length <= state.storedAtOnce
      ? bytes.length
      : wholeUnits(bytes, state.storedAtOnce);
  session.chunks.push(bytes.subarray(0, stored));
  session.size += stored;
}

const UNIT_BYTES = 256 * 1024;

function wholeUnits({ length }: Buffer, max: number): number {
  return Math.floor(Math.min(length, max) / UNIT_BYTES) * UNIT_BYTES;
}

function generationIn(query: URLSearchParams): number | undefined {
  const generation = query.get("ifGenerationMatch");
  return generation === null ? undefined : Number(generation);
}

function isRefused(
  { state }: Exchange,
  { bucket, name, generation }: Pick<Session, "bucket" | "name" | "generation">,
): boolean {
  const current = state.buckets.get(bucket)?.get(name)?.generation ?? 0;
  return generation !== undefined && generation !== current;
}
