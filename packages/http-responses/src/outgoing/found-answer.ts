import type { CallFailure } from "./call-error.ts";
import type { Answer } from "./exchange.ts";
import { isPassingStatus, TransientError } from "./retry.ts";

/**
 * Returns the answer to a read; undefined for 404. Cancels the body of every other answer.
 * @throws {TransientError} for a status that may change on a retry
 * @throws {CallError} `unauthorized` for 401 and 403, `status` for others than 200
 */
export async function foundAnswer(
  answer: Answer,
  { now, failure }: { readonly now: () => Date; readonly failure: CallFailure },
): Promise<Answer | undefined> {
  const { status, url } = answer;
  if (status === 200) return answer;
  await answer.cancel();
  if (status === 404) return undefined;
  if (isPassingStatus(status)) throw new TransientError(answer, now());
  if (status === 401 || status === 403) {
    const reason = status === 401 ? "needs other credentials (401)" : "is forbidden (403)";
    throw failure("unauthorized", { url, reason, status });
  }
  throw failure("status", { url, reason: `was answered ${status}`, status });
}
