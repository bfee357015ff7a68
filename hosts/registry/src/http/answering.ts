import type { RouteOf } from "../routes.ts";
import type { Log } from "../log.ts";
import { arrivalOf, parseBindings } from "./arrival.ts";
import { answerFailure } from "./failure.ts";
import { answerOptions } from "./preflight.ts";
import type { RequestContexts } from "./request-context.ts";
import type { GateRefusal, RequestGate } from "./request-gate.ts";
import { logRequest } from "./request-log.ts";
import type { SetStanding } from "./standing-headers.ts";

export type FetchOptions = {
  readonly routeOf: RouteOf;
  readonly contexts: RequestContexts;
  readonly gate: RequestGate;
  readonly setStanding: SetStanding;
  readonly log: Log;
};

/** The one way through for every request that no shortcut answered: id, log line, gate, route,
 * errors. */
export function createFetch(
  options: FetchOptions,
): (request: Request, env?: unknown) => Promise<Response> {
  const { routeOf, contexts, gate, setStanding, log } = options;
  return async (request, env) => {
    const { id, publicAddress: address } = contexts.of(request, env);
    const { app, isFeed } = routeOf(pathOf(request.url), address);
    const bindings = parseBindings(env);
    if (bindings) {
      const { incoming, outgoing } = bindings;
      logRequest(log, id, bindings);
      outgoing.setHeader("x-request-id", id);
      setStanding(outgoing, { address, isFeed, origin: incoming.headers.origin });
    }
    try {
      const refusal = gate(request.method, arrivalOf(request, env));
      if (refusal) return refused(refusal);
      if (request.method === "OPTIONS" && isFeed) return answerOptions(request);
      return await app.fetch(request, Object(env));
    } catch (error) {
      return answerFailure(error, env, { id, log });
    }
  };
}

function refused({ status, text }: GateRefusal): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return new Response(`${text}\n`, { status, headers });
}

/** Without parsing the whole URL, which costs more than the rest of the dispatch. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}
