import { rawPathOf } from "@sealhouse/http-responses";
import type { BodyPace } from "@sealhouse/http-responses";
import { connectionOf, parseBindings } from "./request-connection.ts";
import type { RequestContexts } from "./request-context.ts";
import type { GateRefusal, RequestGate } from "./request-gate.ts";
import { logRequest, reasonOf } from "./request-log.ts";
import type { RequestLog } from "./request-log.ts";
import type { HostAddress } from "./public-address.ts";
import type { SetDefaultHeaders } from "./default-headers.ts";

type App = { readonly fetch: (request: Request, env: object) => Response | Promise<Response> };

/** App that answers a request. */
export type Route = {
  readonly app: App;
  /** Whether the app speaks a package protocol. */
  readonly isFeed: boolean;
};

/** Returns the app for a path at an address. `accept`: the header of the request. */
export type RouteOf = (path: string, hostAddress: HostAddress, accept?: string | null) => Route;

/** Turns an error that no app answered into a response. */
export type AnswerFailure = (error: unknown, env: unknown, requestId: string) => Response;

/** Options of `createFetchHandler`. */
export type FetchHandlerOptions = {
  readonly routeOf: RouteOf;
  readonly contexts: RequestContexts;
  readonly gate: RequestGate;
  readonly setDefaultHeaders: SetDefaultHeaders;
  readonly answerFailure: AnswerFailure;
  readonly log: RequestLog;
  /** Minimum rate of request bodies; undefined = none. */
  readonly bodyPace: BodyPace | undefined;
};

/** Creates the handler of all requests: id, log line, gate, route, errors. */
export function createFetchHandler(
  options: FetchHandlerOptions,
): (request: Request, env?: unknown) => Promise<Response> {
  const { routeOf, contexts, gate, setDefaultHeaders, answerFailure, log, bodyPace } = options;
  return async (request, env) => {
    const context = contexts.of(request, env);
    const { id, publicAddress: address } = context;
    const { app, isFeed } = routeOf(rawPathOf(request.url), address, request.headers.get("accept"));
    const bindings = parseBindings(env);
    const notes = bindings && logRequest(log, context, bindings);
    if (bindings) {
      const { incoming, outgoing } = bindings;
      outgoing.setHeader("x-request-id", id);
      setDefaultHeaders(outgoing, { address, isFeed, origin: incoming.headers.origin });
    }
    const answer = async (): Promise<Response> => {
      const refusal = gate(request, connectionOf(request, env));
      if (refusal) return refused(refusal);
      if (request.method === "OPTIONS" && isFeed) return answerOptions(request);
      return app.fetch(request, { ...Object(env), bodyPace });
    };
    try {
      const response = await answer();
      if (notes && response.status >= 400 && isLogged(request, response, log)) {
        const reason = await reasonOf(response);
        if (reason !== undefined) notes.reason = reason;
      }
      return response;
    } catch (error) {
      return answerFailure(error, env, id);
    }
  };
}

function refused({ status, text }: GateRefusal): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return new Response(`${text}\n`, { status, headers });
}

function isLogged({ method }: Request, { status }: Response, { logsReads }: RequestLog): boolean {
  return logsReads || status >= 500 || (method !== "GET" && method !== "HEAD");
}

const DAY_SECONDS = 24 * 60 * 60;

/** Request headers that pages may add to reads. Never a header that carries a token, and never a
 * forwarded header: the host believes those of a proxy on the same machine as the browser. */
const HEADERS = [
  "accept",
  "cache-control",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "range",
  "symbolchecksum",
].join(", ");

/**
 * Answers `OPTIONS` on the paths of a package protocol. The header `access-control-allow-origin`,
 * which decides whether a page may read the answer, is a default header of every answer.
 */
export function answerOptions(request: Request): Response {
  if (!request.headers.has("access-control-request-method")) {
    return new Response(null, { status: 204 });
  }
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": HEADERS,
      "access-control-max-age": String(DAY_SECONDS),
      vary: "Access-Control-Request-Method",
    },
  });
}
