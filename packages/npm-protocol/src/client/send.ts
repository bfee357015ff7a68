import { isPassingStatus, retryAfterMs, unreachable } from "@sealhouse/http-responses/outgoing";
import type { Answer, Exchange, Outgoing } from "@sealhouse/http-responses/outgoing";
import { isObject } from "../json.ts";
import { failure, NpmClientError } from "./client-error.ts";

export type ChangeOutcome =
  | { readonly status: "changed" }
  | { readonly status: "absent" }
  | Refusal;

export type Refusal =
  /** The registry will not have it, in its own words. */
  | { readonly status: "refused"; readonly reason: string; readonly httpStatus: number }
  /** The token is missing, wrong or not enough, or somebody is to be asked first. */
  | { readonly status: "unauthorized"; readonly reason: string }
  /** No answer, or none that says anything about the change: it may work later. */
  | { readonly status: "failed"; readonly reason: string; readonly retryAfterMs?: number };

export type SendOptions = { readonly signal?: AbortSignal | undefined };

export type SendParts = {
  readonly exchange: Exchange;
  readonly now: () => Date;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
};

const REASON_BYTES_MAX = 64 * 1024;
const REASON_LENGTH_MAX = 2_000;
const ATTEMPTS_MAX = 4;
const WAIT_MS = 500;
const WAIT_MAX_MS = 60_000;

/** One change, never repeated by itself: a lost answer may hide a success. */
export async function send(parts: SendParts, request: Outgoing): Promise<ChangeOutcome> {
  try {
    const answer = await parts.exchange(request);
    const reason = await reasonOf(answer);
    if (answer.status === 404) return { status: "absent" };
    const isSuccess = answer.status >= 200 && answer.status < 300;
    if (isSuccess) return { status: "changed" };
    return refusalOf(answer, reason, parts.now());
  } catch (error) {
    request.signal?.throwIfAborted();
    if (error instanceof NpmClientError) throw error;
    return { status: "failed", reason: unreachable(request.url, error, { failure }).message };
  }
}

/** A change that means the same however often it is made: again when it fails in a way that
 * passes. */
export async function sendAgain(parts: SendParts, request: Outgoing): Promise<ChangeOutcome> {
  for (let attempt = 1; ; attempt++) {
    const sent = await send(parts, request);
    if (sent.status !== "failed" || attempt === ATTEMPTS_MAX) return sent;
    const waitMs = sent.retryAfterMs ?? WAIT_MS * 2 ** (attempt - 1);
    if (waitMs > WAIT_MAX_MS) return sent;
    await parts.wait(waitMs, request.signal);
  }
}

function refusalOf({ status, headers }: Answer, given: string | undefined, now: Date): Refusal {
  const reason = given ?? `was answered ${status}`;
  if (status === 401) return { status: "unauthorized", reason };
  if (!isPassingStatus(status) && status < 500) {
    return { status: "refused", reason, httpStatus: status };
  }
  const wait = retryAfterMs(headers, now);
  return { status: "failed", reason, ...(wait !== undefined && { retryAfterMs: wait }) };
}

/** What the registry says to people, where it says it as registries do. */
async function reasonOf(answer: Answer): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > REASON_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  try {
    const document: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const { error, message } = isObject(document) ? document : {};
    const text = [message, error].find((one) => typeof one === "string" && one !== "");
    return typeof text === "string" ? text.slice(0, REASON_LENGTH_MAX) : undefined;
  } catch {
    return undefined; // no JSON, so nothing for people
  }
}
