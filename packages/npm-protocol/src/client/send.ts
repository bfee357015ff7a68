import { reasonIn, refusalOf, unreachable } from "@sealhouse/http-responses/outgoing";
import type { Exchange, Outgoing, Refusal } from "@sealhouse/http-responses/outgoing";
import { failure, NpmClientError } from "./client-error.ts";

export type ChangeOutcome =
  | { readonly status: "changed" }
  | { readonly status: "absent" }
  | Refusal;

export type SendParts = {
  readonly exchange: Exchange;
  readonly now: () => Date;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
};

const ATTEMPTS_MAX = 4;
const WAIT_MS = 500;
const WAIT_MAX_MS = 60_000;

/** One change, never repeated by itself: a lost answer may hide a success. */
export async function send(parts: SendParts, request: Outgoing): Promise<ChangeOutcome> {
  try {
    const answer = await parts.exchange(request);
    // What registries say to people, where they say it as others do.
    const statedReason = await reasonIn(answer, ["message", "error"]);
    if (answer.status === 404) return { status: "absent" };
    const isSuccess = answer.status >= 200 && answer.status < 300;
    if (isSuccess) return { status: "changed" };
    const reason = statedReason ?? `was answered ${answer.status}`;
    return refusalOf(answer, { reason, unauthorized: [401], now: parts.now() });
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
