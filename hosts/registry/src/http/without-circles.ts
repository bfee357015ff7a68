import { overrideHeaders, parseBindings } from "@sealhouse/http-server";
import type { Mirror } from "@sealhouse/upstream-sources";
import type { AnswerStored } from "./stored-reads.ts";

type Answers = {
  readonly fetch: (request: Request, env?: unknown) => Promise<Response>;
  readonly answerStored: AnswerStored;
};

/**
 * Asks no source for requests that began as calls of this registry to a source. Answers to requests
 * of other registries name the registries that were left out, and no cache stores them.
 */
export function withoutCircles(
  { fetch, answerStored }: Answers,
  { ownCalls, answerRegistry }: Pick<Mirror, "answerRegistry" | "ownCalls">,
): Answers {
  return {
    fetch(request, env) {
      const via = request.headers.get("via");
      if (!ownCalls.isFromRegistry(via)) return fetch(request, env);
      return answerRegistry({ via, isProbe: request.method === "OPTIONS" }, async (headersOf) => {
        const bindings = parseBindings(env);
        if (bindings) overrideHeaders(bindings.outgoing, headersOf);
        const response = await fetch(request, env);
        return bindings ? response : withHeaders(response, headersOf());
      });
    },
    answerStored: (incoming, outgoing) =>
      !ownCalls.isFromRegistry(incoming.headers.via) && answerStored(incoming, outgoing),
  };
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  const { status, statusText, body } = response;
  return new Response(body, {
    status,
    statusText,
    headers: { ...Object.fromEntries(response.headers), ...headers },
  });
}
