import { bodyErrorOf, headerText, setReasonPhrase } from "@sealhouse/http-responses";
import type { BodyError } from "@sealhouse/http-responses";
import type { Context } from "hono";
import { NuGetError } from "./errors.ts";
import type { NuGetErrorCode } from "./errors.ts";

const CHALLENGE = 'Basic realm="Sealhouse"';
const WARNINGS_MAX = 5;

/**
 * Clients show the reason phrase and the warning header of a failure; the body is for other
 * readers.
 */
export function errorResponse(c: Context, error: NuGetError): Response {
  setReasonPhrase(c, error.message);
  // Clients ask for much that may be absent, and would print the warning every time.
  const isExpected = error.code === "not-found" && ["GET", "HEAD"].includes(c.req.method);
  if (!isExpected) addWarnings(c, error.problems, error.message);
  if (error.code === "unauthorized") c.header("www-authenticate", CHALLENGE);
  if (error.code === "read-only") c.header("allow", "GET, HEAD");
  if (error.retryAfterSeconds !== undefined) {
    c.header("retry-after", String(Math.ceil(error.retryAfterSeconds)));
  }
  return c.body(JSON.stringify(error), error.status, {
    "content-type": "application/problem+json",
  });
}

/** Puts sentences where NuGet clients print them, which is on one line. */
export function addWarnings(c: Context, texts: readonly string[], fallback?: string): void {
  const all = texts.length === 0 && fallback !== undefined ? [fallback] : texts;
  const shown = all.slice(0, WARNINGS_MAX).map(headerText);
  const hidden = all.length - shown.length;
  const sentences = hidden > 0 ? [...shown, `And ${hidden} more.`] : shown;
  if (sentences.length > 0) c.header("x-nuget-warning", oneLine(sentences));
}

function oneLine(texts: readonly string[]): string {
  const last = texts.length - 1;
  const ended = texts.map((text, index) =>
    index < last && !/[.!?]$/.test(text) ? `${text}.` : text,
  );
  return ended.join(" ");
}

/** Answers to errors in a request's body; undefined for errors that the host answers. */
const BODY_REFUSALS: Readonly<Record<BodyError["code"], BodyRefusal | undefined>> = {
  "body-too-large": { code: "too-large", problems: [] },
  "body-cut": { code: "invalid", problems: ["The upload ended early."] },
  "body-encoding": undefined,
  "body-too-slow": undefined,
};
type BodyRefusal = { readonly code: NuGetErrorCode; readonly problems: readonly string[] };

/** Undefined for errors that are not the client's; the host answers those. */
export function nugetErrorOf(error: unknown): NuGetError | undefined {
  if (error instanceof NuGetError) return error;
  const bodyError = bodyErrorOf(error);
  const refusal = bodyError && BODY_REFUSALS[bodyError.code];
  return refusal && new NuGetError(refusal.code, { problems: refusal.problems, cause: error });
}
