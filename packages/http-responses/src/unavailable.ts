import type { Context } from "hono";
import { nodeOf } from "./node-context.ts";

/** Why nobody can be answered now, in words that every client may read. */
export type Unavailable = {
  /** For programs: `database-unreachable`, `storage-full` and the like. */
  readonly code: string;
  readonly text: string;
  readonly retryAfterSeconds: number;
};

/** Undefined: the error has another cause. */
export type DescribeUnavailable = (error: unknown) => Unavailable | undefined;

/** What an app answers with 503. Undefined also where the answer has begun: its rest never
 * comes. */
export function unavailableOf(
  c: Context,
  error: unknown,
  describe: DescribeUnavailable | undefined,
): Unavailable | undefined {
  const hasBegun = nodeOf(c)?.outgoing.headersSent === true;
  return hasBegun ? undefined : describe?.(error);
}
