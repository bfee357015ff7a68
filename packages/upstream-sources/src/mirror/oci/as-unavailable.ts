import { isCallError } from "@sealhouse/http-responses/outgoing";
import { unavailableAfter } from "../calls/upstream-error.ts";

/** Runs a transfer. A source that ends it early, or sends something else, cannot be asked now. */
export async function asUnavailable<T>(source: string, transfer: () => Promise<T>): Promise<T> {
  try {
    return await transfer();
  } catch (error) {
    if (!isCallError(error)) throw error;
    throw unavailableAfter(source, "did not send the requested content", error);
  }
}
