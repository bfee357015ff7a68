import type { Answer } from "./exchange.ts";
import { isPassingStatus, retryAfterMs } from "./retry.ts";

/** Outcome of a change that the server did not make. */
export type Refusal =
  /** The server refused the change; `reason` is the server's text. */
  | { readonly status: "refused"; readonly reason: string; readonly httpStatus: number }
  /** The key or token is missing, invalid or insufficient, or the change needs approval. */
  | { readonly status: "unauthorized"; readonly reason: string }
  /** No answer, or an answer that does not concern the change; a retry may succeed. */
  | { readonly status: "failed"; readonly reason: string; readonly retryAfterMs?: number };

const DOCUMENT_BYTES_MAX = 64 * 1024;
const REASON_LENGTH_MAX = 2_000;

/** Returns `unauthorized` for those statuses, `refused` for other permanent ones below 500. */
export function refusalOf(
  { status, headers }: Pick<Answer, "status" | "headers">,
  {
    reason,
    unauthorized,
    now,
  }: { readonly reason: string; readonly unauthorized: readonly number[]; readonly now: Date },
): Refusal {
  if (unauthorized.includes(status)) return { status: "unauthorized", reason };
  if (!isPassingStatus(status) && status < 500) {
    return { status: "refused", reason, httpStatus: status };
  }
  const wait = retryAfterMs(headers, now);
  return { status: "failed", reason, ...(wait !== undefined && { retryAfterMs: wait }) };
}

/**
 * Returns the message of a server to its users: the first of `fields` with a text. Undefined if the
 * answer is not a JSON object or has more than 64 KiB.
 */
export async function reasonIn(
  answer: Answer,
  fields: readonly string[],
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > DOCUMENT_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return textIn(Buffer.concat(chunks, size), fields);
}

function textIn(bytes: Buffer, fields: readonly string[]): string | undefined {
  try {
    const parsed: unknown = JSON.parse(bytes.toString());
    const document = new Map<string, unknown>(Object.entries(parsed ?? {}));
    const texts = fields.map((field) => document.get(field));
    const text = texts.find((candidate) => typeof candidate === "string" && candidate !== "");
    return typeof text === "string" ? shortReason(text) : undefined;
  } catch {
    return undefined; // not JSON, so it has no message
  }
}

/** Shortens the message of a server to 2,000 characters. */
export function shortReason(text: string): string {
  return text.slice(0, REASON_LENGTH_MAX);
}
