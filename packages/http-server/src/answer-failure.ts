import { errorCodeOf, headerText } from "@sealhouse/http-responses";
import { parseBindings } from "./request-connection.ts";

/** The answer to an error that no protocol answered. */
export type Failure = {
  readonly status: 403 | 404 | 408 | 413 | 500 | 503;
  /** Shown to the client. */
  readonly text: string;
  readonly retryAfterSeconds?: number | undefined;
};

/** For the clients of images, which know each kind of failure by a word. */
const CODES = {
  403: "DENIED",
  404: "BLOB_UNKNOWN",
  408: "UNKNOWN",
  413: "UNKNOWN",
  500: "UNKNOWN",
  503: "UNAVAILABLE",
} as const satisfies Record<Failure["status"], string>;

type FailureLog = Readonly<
  Record<"debug" | "info" | "error", (fields: object, message: string) => void>
>;

/**
 * Creates the answer to errors that no protocol handles, in a form that clients of every protocol
 * show. It logs the error once with the id of the request; the answer contains no details.
 */
export function createAnswerFailure(options: {
  readonly log: FailureLog;
  readonly failureOf: (error: unknown) => Failure;
}): (error: unknown, env: unknown, id: string) => Response {
  const { log, failureOf } = options;
  return (error, env, id) => {
    const outgoing = parseBindings(env)?.outgoing;
    if (errorCodeOf(error) === "body-cut" || outgoing?.destroyed === true) {
      log.debug({ id, err: error }, "the client went away");
      outgoing?.destroy();
      return new Response(null, { status: 400 });
    }
    const failure = failureOf(error);
    const { status, text } = failure;
    if (status >= 500) log.error({ id, err: error }, "a request failed");
    else if (status !== 413) log.info({ id, status, reason: text }, "refused a request");
    if (outgoing?.headersSent === true) {
      // The rest of the answer will never come; only a broken connection tells the client so.
      outgoing.destroy();
      return new Response(null, { status });
    }
    if (outgoing) outgoing.statusMessage = headerText(text);
    return responseTo(failure, id);
  };
}

function responseTo({ status, text, retryAfterSeconds }: Failure, requestId: string): Response {
  const body = { error: text, errors: [{ code: CODES[status], message: text }], status, requestId };
  return Response.json(body, {
    status,
    headers: {
      "cache-control": "no-store",
      "x-nuget-warning": headerText(text),
      // The rest of the body is not waited for.
      ...(status === 408 && { connection: "close" }),
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    },
  });
}
