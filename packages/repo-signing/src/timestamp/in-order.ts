import { TimestampError } from "../errors.ts";
import { isTimeout } from "./client.ts";
import type { Timestamper } from "./client.ts";

/** Several servers together get no more time than this, whatever each of them may take. */
const TOTAL_MS = 25_000;

/**
 * Asks the servers in order until one returns a usable token.
 *
 * A server that did not answer in time is asked by one caller at a time until it answers again:
 * other callers use the next server, or fail at once, instead of waiting.
 */
export function stampInOrder(
  servers: readonly Timestamper[],
  options: { readonly totalMs?: number } = {},
): Timestamper {
  const { totalMs = TOTAL_MS } = options;
  const guarded = servers.map(oneAtATimeWhileSilent);
  return async (signature, how = {}) => {
    const total = AbortSignal.timeout(totalMs);
    const signal = how.signal ? AbortSignal.any([how.signal, total]) : total;
    const failures: TimestampError[] = [];
    for (const stamp of guarded) {
      if (signal.aborted) break;
      try {
        return await stamp(signature, { ...how, signal });
      } catch (error) {
        if (!(error instanceof TimestampError)) throw error;
        failures.push(error);
      }
    }
    throw together(failures, signal);
  };
}

function oneAtATimeWhileSilent(stamp: Timestamper): Timestamper {
  let silent: TimestampError | undefined;
  let isReported = false;
  return async (signature, options) => {
    const earlier = silent;
    if (earlier && isReported) throw earlier;
    if (earlier) isReported = true;
    try {
      const token = await stamp(signature, options);
      silent = undefined;
      return token;
    } catch (error) {
      if (error instanceof TimestampError) {
        silent = error.reason === "timeout" ? error : undefined;
      }
      throw error;
    } finally {
      if (earlier) isReported = false;
    }
  };
}

function together(failures: readonly TimestampError[], signal: AbortSignal): TimestampError {
  const last = failures.at(-1);
  if (!last) return beforeTheFirst(signal);
  if (failures.length === 1) return last;
  const message = failures.map((failure) => failure.message).join(" ");
  const code = last.nugetCode === undefined ? {} : { nugetCode: last.nugetCode };
  return new TimestampError(last.reason, message, { ...code, cause: last });
}

function beforeTheFirst(signal: AbortSignal): TimestampError {
  if (!signal.aborted) {
    return new TimestampError("unreachable", "The list of timestamp servers is empty.");
  }
  return isTimeout(signal)
    ? new TimestampError("timeout", "No timestamp server was reached in time.")
    : new TimestampError("cancelled", "The caller cancelled the request for a timestamp.");
}
