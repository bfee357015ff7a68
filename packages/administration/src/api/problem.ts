import { REFUSALS, RefusedActionError } from "../refusal.ts";
import type { RefusalReason } from "../refusal.ts";

/** Media type of refusals (RFC 9457). */
export const PROBLEM_TYPE = "application/problem+json";

/** A value of the request that is not valid. `pointer` is a JSON pointer into the body. */
export type FieldProblem = { readonly pointer: string; readonly detail: string };

/** A request that is refused before an action, or by one. */
export class RefusedRequestError extends Error {
  override readonly name = "RefusedRequestError";
  readonly reason: RefusalReason;
  readonly errors: readonly FieldProblem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    reason: RefusalReason,
    message: string,
    {
      errors = [],
      headers = {},
    }: {
      readonly errors?: readonly FieldProblem[];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.reason = reason;
    this.errors = errors;
    this.headers = headers;
  }
}

/** The URN of a reason. */
export function problemType(reason: RefusalReason): string {
  return `urn:sealhouse:problem:${reason}`;
}

/** Answers with a refusal; undefined for another error. */
export function problemOf(error: unknown): Response | undefined {
  if (error instanceof RefusedRequestError) {
    const { reason, message, errors, headers } = error;
    return problemResponse(reason, message, { errors, headers });
  }
  if (!(error instanceof RefusedActionError)) return undefined;
  const { reason, message, problems } = error;
  const errors = problems.map(({ field, words }) => ({
    pointer: `#/${escaped(field)}`,
    detail: words,
  }));
  return problemResponse(reason, message, { errors });
}

function problemResponse(
  reason: RefusalReason,
  detail: string,
  {
    errors = [],
    headers = {},
  }: {
    readonly errors?: readonly FieldProblem[];
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Response {
  const { status, title } = REFUSALS[reason];
  const type = problemType(reason);
  const body = { type, title, status, detail, ...(errors.length > 0 && { errors }) };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": PROBLEM_TYPE, "cache-control": "no-store", ...headers },
  });
}

/** A part of a JSON pointer (RFC 6901). */
export function escaped(part: PropertyKey): string {
  return String(part).replaceAll("~", "~0").replaceAll("/", "~1");
}
