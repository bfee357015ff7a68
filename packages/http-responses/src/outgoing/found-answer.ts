import type { CallFailure } from "./call-error.ts";
import type { Answer } from "./exchange.ts";
import { isPassingStatus, PassingError } from "./retry.ts";

/**
 * The answer to a read; undefined for 404. The body of what is not used is let go.
 * @throws {PassingError} for what may be otherwise in a moment
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
  if (isPassingStatus(status)) throw new PassingError(answer, now());
  if (status === 401 || status === 403) {
    const reason = status === 401 ? "needs other credentials (401)" : "is forbidden (403)";
    throw failure("unauthorized", { url, reason, status });
  }
  throw failure("status", { url, reason: `was answered ${status}`, status });
}
