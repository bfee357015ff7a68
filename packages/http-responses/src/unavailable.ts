import type { Context } from "hono";
import { nodeOf } from "./node-context.ts";

/** Reason why the registry cannot answer now, or not this caller. Safe for every client. */
export type Unavailable = {
  /** Machine-readable reason, such as `database-unreachable` or `storage-full`. */
  readonly code: string;
  readonly text: string;
  /** Undefined when only an operator can change it: clients must not try again by themselves. */
  readonly retryAfterSeconds: number | undefined;
  /** The caller sent too many requests: 429 instead of 503. */
  readonly isCallerLimited?: true;
  /** The stored bytes are lost: 404, until the same artifact is published again. */
  readonly isLost?: true;
};

/** Maps an error to the reason of a 404, a 429, a 503 or a refusal; undefined for other errors. */
export type DescribeUnavailable = (error: unknown) => Unavailable | undefined;

/** Returns the content of a 503 response for an error. Undefined for other errors, and if the head
 * of the response is already sent. */
export function unavailableOf(
  c: Context,
  error: unknown,
  describe: DescribeUnavailable | undefined,
): Unavailable | undefined {
  const hasBegun = nodeOf(c)?.outgoing.headersSent === true;
  return hasBegun ? undefined : describe?.(error);
}
