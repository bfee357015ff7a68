import { isCallError } from "@sealhouse/http-responses/outgoing";
import { UpstreamUnavailableError } from "../upstream-error.ts";

const RETRY_AFTER_S = 10;

/** Runs a transfer. A source that ends it early, or sends something else, cannot be asked now. */
export async function asUnavailable<T>(source: string, transfer: () => Promise<T>): Promise<T> {
  try {
    return await transfer();
  } catch (error) {
    if (!isCallError(error)) throw error;
    const reason = "did not send the requested content";
    throw new UpstreamUnavailableError(source, reason, RETRY_AFTER_S, error);
  }
}
