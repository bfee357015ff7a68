import type { RouteOf } from "../routes.ts";
import type { Log } from "../log.ts";
import { parseBindings } from "./arrival.ts";
import { answerFailure } from "./failure.ts";
import type { RequestContexts } from "./request-context.ts";
import { logRequest } from "./request-log.ts";

/** The one way through for every request that no shortcut answered: id, log line, route, errors. */
export function createFetch(options: {
  readonly routeOf: RouteOf;
  readonly contexts: RequestContexts;
  readonly log: Log;
}): (request: Request, env?: unknown) => Promise<Response> {
  const { routeOf, contexts, log } = options;
  return async (request, env) => {
    const { id, publicAddress } = contexts.of(request, env);
    const bindings = parseBindings(env);
    if (bindings) {
      logRequest(log, id, bindings);
      bindings.outgoing.setHeader("x-request-id", id);
    }
    try {
      return await routeOf(pathOf(request.url), publicAddress).fetch(request, Object(env));
    } catch (error) {
      return answerFailure(error, env, { id, log });
    }
  };
}

/** Without parsing the whole URL, which costs more than the rest of the dispatch. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}
