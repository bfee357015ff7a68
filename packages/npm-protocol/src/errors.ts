import { errorCodeOf } from "@sealhouse/http-responses";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** Everything the registry refuses, with the status it goes out with. A refused publish is never
 * answered with 409 or 503: release tools take 409 for "already published", clients wait ten
 * seconds after 503. */
const STATUS_OF = {
  "name-invalid": 400,
  "version-invalid": 400,
  "tag-invalid": 400,
  "document-invalid": 400,
  "query-invalid": 400,
  unsupported: 400,
  "login-required": 401,
  "step-up-required": 401,
  exists: 403,
  "latest-required": 403,
  "owner-required": 403,
  "no-accounts": 403,
  forbidden: 403,
  "source-refused": 403,
  "not-found": 404,
  "method-unknown": 405,
  "revision-conflict": 409,
  "too-large": 413,
  "not-json": 415,
  "integrity-differs": 422,
  "manifest-differs": 422,
  "tarball-refused": 422,
  "provenance-refused": 422,
  limited: 429,
  unavailable: 503,
} as const satisfies Record<string, ContentfulStatusCode>;

/** Codes of refusals; each has a status. */
export type NpmErrorCode = keyof typeof STATUS_OF;

/** Whether an error is a refusal of this protocol, by its code. */
export function isNpmError(error: unknown): error is NpmError {
  const code = errorCodeOf(error);
  return code !== undefined && Object.hasOwn(STATUS_OF, code) && "more" in Object(error);
}

/**
 * A refused request. `message` appears in the terminal: npm, yarn, pnpm and bun print the field
 * `error` of the body, which states what happened, to what, and what to do.
 */
export class NpmError extends Error {
  override readonly name = "NpmError";
  readonly code: NpmErrorCode;
  /** Sent along, as `www-authenticate` or `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Machine-readable fields of the body, in addition to the text. */
  readonly more: Readonly<Record<string, string>>;

  constructor(
    code: NpmErrorCode,
    message: string,
    options: {
      cause?: unknown;
      headers?: Readonly<Record<string, string>>;
      more?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.headers = options.headers ?? {};
    this.more = options.more ?? {};
  }

  get status(): ContentfulStatusCode {
    return STATUS_OF[this.code];
  }

  /** `message` repeats `error` for npm 12, which looks there first. */
  toJSON(): { readonly error: string; readonly message: string } {
    return { error: this.message, message: this.message, ...this.more };
  }
}
