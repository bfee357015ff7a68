import { errorCodeOf } from "@sealhouse/http-responses";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** Every way a request can fail, with the status and the words it goes out with. */
const ERRORS = {
  unauthorized: { status: 401, title: "This feed needs credentials" },
  forbidden: { status: 403, title: "These credentials do not allow that" },
  mirrored: { status: 403, title: "This id belongs to a package source" },
  // 404: clients repeat a 403 six times over 15 seconds. They print the reason after both.
  withheld: { status: 404, title: "The rules of this feed refuse this version" },
  // 404 for the same reason. The registry must not call the source, until its operator acts.
  "source-refused": { status: 404, title: "The package source of this id must not be called" },
  "not-found": { status: 404, title: "There is no such package or version" },
  "refused-file": { status: 404, title: "The file of this version is refused" },
  "lost-file": { status: 404, title: "The bytes of this version are lost" },
  "read-only": { status: 405, title: "This feed is in read-only mode" },
  exists: { status: 409, title: "This version already exists" },
  deleted: { status: 409, title: "This version was deleted" },
  "too-large": { status: 413, title: "The package is too large" },
  limited: { status: 429, title: "Too many failed attempts; try again later" },
  invalid: { status: 400, title: "The package is not valid" },
  "invalid-request": { status: 400, title: "The request is not valid" },
  "invalid-symbols": { status: 400, title: "The symbol package is not valid" },
  refused: { status: 400, title: "The package is refused" },
  "signing-failed": { status: 400, title: "The package cannot be signed" },
  unavailable: { status: 503, title: "The feed cannot answer right now" },
  "signing-later": { status: 503, title: "The package cannot be signed right now" },
} as const satisfies Record<string, { status: ContentfulStatusCode; title: string }>;

/** A message must not be larger than the request that caused it. */
const PROBLEMS_MAX = 50;
const PROBLEM_LENGTH_MAX = 1000;

/** Codes of refusals; each has a status and a text. */
export type NuGetErrorCode = keyof typeof ERRORS;

/** Whether an error is a refusal of this protocol, by its code. */
export function isNuGetError(error: unknown): error is NuGetError {
  const code = errorCodeOf(error);
  return code !== undefined && Object.hasOwn(ERRORS, code) && "problems" in Object(error);
}

/** A request the feed refuses, in words that a person at a NuGet client can act on. */
export class NuGetError extends Error {
  override readonly name = "NuGetError";
  readonly code: NuGetErrorCode;
  /** One sentence each; what would be too many or too long is cut. */
  readonly problems: readonly string[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: NuGetErrorCode,
    options: {
      readonly problems?: readonly string[];
      readonly retryAfterSeconds?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    const problems = readable(options.problems ?? []);
    const { title } = ERRORS[code];
    super(problems.length > 0 ? `${title}: ${problems.join(" ")}` : `${title}.`, {
      cause: options.cause,
    });
    this.code = code;
    this.problems = problems;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): ContentfulStatusCode {
    return ERRORS[this.code].status;
  }

  /** RFC 9457. */
  toJSON(): { type: string; title: string; status: number; detail: string; problems: unknown } {
    const { title, status } = ERRORS[this.code];
    const { message: detail, problems } = this;
    return { type: "about:blank", title, status, detail, problems };
  }
}

function readable(problems: readonly string[]): readonly string[] {
  const shown = problems.slice(0, PROBLEMS_MAX).map((text) => text.slice(0, PROBLEM_LENGTH_MAX));
  const hidden = problems.length - shown.length;
  return hidden > 0 ? [...shown, `There are ${hidden} more problems.`] : shown;
}

/** @param maxBytes what one package file may have */
export function tooLarge(maxBytes: number): NuGetError {
  return new NuGetError("too-large", { problems: [`This feed takes up to ${maxBytes} bytes.`] });
}
