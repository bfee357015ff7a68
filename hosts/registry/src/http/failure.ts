import { errorCodeOf, headerText } from "@sealhouse/http-responses";
import type { BodyError, TokenEndedError } from "@sealhouse/http-responses";
import type { StorageErrorCode } from "@sealhouse/storage-providers";
import type { Log } from "../log.ts";
import { parseBindings } from "@sealhouse/http-server";
import { unavailability } from "./unavailable.ts";

type Failure = {
  readonly status: 403 | 404 | 408 | 413 | 500 | 503;
  readonly text: string;
  readonly retryAfterSeconds?: number;
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

/** Answers errors that no protocol answered. */
export function createAnswerFailure(log: Log) {
  return (error: unknown, env: unknown, id: string) => answerFailure(error, env, { id, log });
}

const LOST =
  "The registry has lost the bytes of this artifact. Push or publish the same version again to " +
  "restore it.";

/**
 * Answers errors that no protocol handles. Logs the error once with the id of the request; the
 * answer contains no details.
 */
export function answerFailure(
  error: unknown,
  env: unknown,
  { id, log }: { readonly id: string; readonly log: Log },
): Response {
  const outgoing = parseBindings(env)?.outgoing;
  if (errorCodeOf(error) === "body-cut" || outgoing?.destroyed === true) {
    log.debug({ id, err: error }, "the client went away");
    outgoing?.destroy();
    return new Response(null, { status: 400 });
  }
  const { status, text, retryAfterSeconds } = failureOf(error);
  if (status >= 500) log.error({ id, err: error }, "a request failed");
  else if (status !== 413) log.info({ id, status, reason: text }, "refused a request");
  if (outgoing?.headersSent === true) {
    // The rest of the answer will never come; only a broken connection tells the client so.
    outgoing.destroy();
    return new Response(null, { status });
  }
  if (outgoing) outgoing.statusMessage = headerText(text);
  const body = {
    error: text,
    errors: [{ code: CODES[status], message: text }],
    status,
    requestId: id,
  };
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

const TOO_LARGE = { status: 413, text: "The body is too large." } as const;

/** Errors that the client or the operator can do something about, by their codes; without a text,
 * the error's own message is for clients. */
const FAILURES: Readonly<
  Partial<
    Record<
      BodyError["code"] | StorageErrorCode | TokenEndedError["code"],
      Pick<Failure, "status"> & Partial<Failure>
    >
  >
> = {
  "body-too-large": TOO_LARGE,
  "body-too-slow": { status: 408 },
  "token-ended": { status: 403 },
  "storage-too-large": TOO_LARGE,
  "storage-not-found": { status: 404, text: LOST },
};

function failureOf(error: unknown): Failure {
  const away = unavailability(error);
  if (away) return { status: 503, ...away };
  const code = errorCodeOf(error);
  const known = new Map(Object.entries(FAILURES)).get(code ?? "");
  if (known && error instanceof Error) return { text: error.message, ...known };
  return { status: 500, text: "Internal error; see the registry's log." };
}
