import { addressRefusalOf, isCallError } from "@sealhouse/http-responses/outgoing";
import type { Refusal } from "@sealhouse/http-responses/outgoing";
import type { Unsettled } from "./publisher.ts";

/** A call that ended without an answer about the member. */
export type Failure = Unsettled | { readonly status: "refused"; readonly reason: string };

/**
 * Returns what `work` does, and failed calls as values. A document that is not what the protocol
 * defines is a refusal, because a repetition gives the same.
 */
export async function settle<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (!isCallError(error)) throw error;
    const { message: reason, code, retryAfterMs, status } = error;
    if (code === "unauthorized") return { status: "unauthorized", reason };
    const refusal = addressRefusalOf(error);
    if (refusal?.code === "metadata-address") return { status: "refused", reason };
    if (refusal) {
      const advice =
        "Add the target again with --allow-private-network to allow it; " +
        "at another origin than the endpoint, it needs --allowed-origin as well.";
      return { status: "refused", reason: `${reason} ${advice}` };
    }
    const isPassing = code === "unreachable" || (status !== undefined && status >= 500);
    if (!isPassing) return { status: "refused", reason };
    return failedWith(reason, retryAfterMs);
  }
}

/** A refusal of a change, as a value of a publisher. */
export function failureOf(refusal: Refusal | Failure): Failure {
  switch (refusal.status) {
    case "refused":
      return { status: "refused", reason: refusal.reason };
    case "unauthorized":
      return { status: "unauthorized", reason: refusal.reason };
    case "failed":
      return failedWith(refusal.reason, refusal.retryAfterMs ?? secondsIn(refusal.reason));
  }
}

function failedWith(reason: string, retryAfterMs: number | undefined): Failure {
  return { status: "failed", reason, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** nuget.org says it in words only: "Try again in 56 seconds". */
function secondsIn(reason: string): number | undefined {
  const [, seconds] = /\bagain in (\d{1,6}) seconds?\b/i.exec(reason) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
