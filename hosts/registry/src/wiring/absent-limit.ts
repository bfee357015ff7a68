import type { RequestContext, RequestContexts } from "@sealhouse/http-server";
import { createWorkLimiter, networksOfAddress } from "@sealhouse/identity";
import type { Mirror } from "@sealhouse/upstream-sources";
import type { Config } from "../settings/config.ts";

const WINDOW_MS = 10 * 60_000;
const NETWORKS_MAX = 10_000;

/** Runs the answer to a request of this context. */
export type Counted = <T>(context: RequestContext, work: () => T) => T;

/**
 * Counts the absent names that requests ask package sources for, by network, at each instance.
 * Callers with a token have no limit.
 */
export function countAbsentNames(
  { answerCounted }: Pick<Mirror, "answerCounted">,
  { config, now }: { readonly config: Pick<Config, "mirror">; readonly now: () => Date },
): Counted {
  const limiter = createWorkLimiter({
    failuresMax: config.mirror.absentNamesPerNetwork,
    windowMs: WINDOW_MS,
    addressesMax: NETWORKS_MAX,
  });
  return (context, work) =>
    answerCounted((cost) => {
      if (context.tokenId !== undefined) return undefined;
      return limiter.take(networksOfAddress(context.address ?? ""), now(), cost);
    }, work);
}

/** Counts for a handler of requests. */
export function countedFetch<T>(
  fetch: (request: Request, env?: unknown) => T,
  { counted, contexts }: { readonly counted: Counted; readonly contexts: RequestContexts },
): (request: Request, env?: unknown) => T {
  return (request, env) => counted(contexts.of(request, env), () => fetch(request, env));
}
