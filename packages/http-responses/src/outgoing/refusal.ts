import type { Answer } from "./exchange.ts";
import { isPassingStatus, retryAfterMs } from "./retry.ts";

/** What became of a change that was not made. */
export type Refusal =
  /** The server will not have it, in its own words. */
  | { readonly status: "refused"; readonly reason: string; readonly httpStatus: number }
  /** Key or token is missing, wrong or not enough, or somebody is to be asked first. */
  | { readonly status: "unauthorized"; readonly reason: string }
  /** No answer, or none that says anything about the change: it may work later. */
  | { readonly status: "failed"; readonly reason: string; readonly retryAfterMs?: number };

const DOCUMENT_BYTES_MAX = 64 * 1024;
const REASON_LENGTH_MAX = 2_000;

/** `unauthorized` for these statuses, `refused` for others below 500 that last. */
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
 * What a server says to people: the first of these fields that has a text. Undefined for an answer
 * that is no JSON object, or has more than 64 KiB.
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
    const text = texts.find((one) => typeof one === "string" && one !== "");
    return typeof text === "string" ? shortReason(text) : undefined;
  } catch {
    return undefined; // no JSON, so nothing for people
  }
}

/** As much of what a server says as is told on. */
export function shortReason(text: string): string {
  return text.slice(0, REASON_LENGTH_MAX);
}
