import { createWorkLimiter, networksOfAddress } from "@sealhouse/identity";
import type { Mirror } from "./mirror.ts";

const WINDOW_MS = 10 * 60_000;
const NETWORKS_MAX = 10_000;

/** Caller of a request. `tokenId` may be set while the request is answered. */
export type CountedCaller = {
  readonly address?: string;
  readonly decisions: { readonly tokenId?: string };
};

/** Runs the answer to a request of this caller. */
export type Counted = <T>(caller: CountedCaller, work: () => T) => T;

/**
 * Counts the absent names that requests ask package sources for, by network, in this process.
 * Callers with a token have no limit. `absentNamesPerNetwork`: the number in ten minutes.
 */
export function countAbsentNames(
  { answerCounted }: Pick<Mirror, "answerCounted">,
  {
    absentNamesPerNetwork,
    now,
  }: { readonly absentNamesPerNetwork: number; readonly now: () => Date },
): Counted {
  const limiter = createWorkLimiter({
    failuresMax: absentNamesPerNetwork,
    windowMs: WINDOW_MS,
    addressesMax: NETWORKS_MAX,
  });
  return (caller, work) =>
    answerCounted((cost) => {
      if (caller.decisions.tokenId !== undefined) return undefined;
      return limiter.take(networksOfAddress(caller.address ?? ""), now(), cost);
    }, work);
}

/** Counts for a handler of requests. */
export function countedFetch<T>(
  fetch: (request: Request, env?: unknown) => T,
  counted: Counted,
  callers: { of(request: Request, env: unknown): CountedCaller },
): (request: Request, env?: unknown) => T {
  return (request, env) => counted(callers.of(request, env), () => fetch(request, env));
}
