import { isCallError } from "@sealhouse/http-responses/outgoing";
import type { CallError, CallErrorCode } from "@sealhouse/http-responses/outgoing";

/** Answers that the same question gets again: a refusal, or not the requested document. */
const LASTING: ReadonlySet<string> = new Set<CallErrorCode>([
  "malformed",
  "status",
  "too-large",
  "unauthorized",
]);

/** Whether a source has answered, but with something that cannot be used. Another document of it
 * may tell the same. False for outages, which end. */
export function isUnreadableAnswer(error: unknown): error is CallError {
  return isCallError(error) && LASTING.has(error.code) && (error.status ?? 400) < 500;
}
