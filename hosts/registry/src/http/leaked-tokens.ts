import { readBody } from "@sealhouse/http-responses";
import type { RequestContexts } from "@sealhouse/http-server";
import { LEAK_BYTES_MAX } from "@sealhouse/identity";
import type { LeakOutcome, LeakReport } from "@sealhouse/identity";
import type { Context } from "hono";

/** Where secret scanners report tokens. */
export const LEAKED_TOKENS_PATH = "/api/v1/leaked-tokens";

const RETRY_SECONDS = 60;

/** Answers a report of leaked tokens. */
export type AnswerLeakReport = (c: Context) => Promise<Response>;

/** Answers reports of leaked tokens. */
export function answerLeakReport(parts: {
  readonly handle: (report: LeakReport) => Promise<LeakOutcome>;
  readonly contexts: Pick<RequestContexts, "of">;
}): AnswerLeakReport {
  return async (c) => {
    const body = await readBody(c, LEAK_BYTES_MAX);
    const context = parts.contexts.of(c.req.raw, c.env);
    c.header("cache-control", "no-store");
    return answerOf(c, await parts.handle({ body, headers: c.req.raw.headers, context }));
  };
}

function answerOf(c: Context, outcome: LeakOutcome): Response {
  switch (outcome.status) {
    case "handled":
      return c.json(outcome.tokens);
    case "malformed":
      return c.json({ error: outcome.reason }, 400);
    case "refused":
      return c.json({ error: outcome.reason }, 403);
    case "limited":
      c.header("retry-after", String(outcome.retryAfterSeconds));
      return c.json({ error: "Too many wrong tokens from this address; try again later." }, 429);
    case "unavailable":
      c.header("retry-after", String(RETRY_SECONDS));
      return c.json({ error: "The registry cannot read the keys of the scanner; retry." }, 503);
  }
}
