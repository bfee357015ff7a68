import { createHash } from "node:crypto";
import type { Caller } from "@sealhouse/request-types";
import type { IdempotentAnswers, KeptAnswer } from "@sealhouse/http-responses";
import { RefusedRequestError } from "./problem.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Runs a change once for each key, and gives its answer to requests that repeat it.
 *
 * @throws RefusedRequestError
 */
export async function answerOnce(
  { answers, now }: { readonly answers: IdempotentAnswers; readonly now: () => Date },
  asked: {
    readonly key: string;
    readonly caller: Caller;
    readonly action: string;
    readonly input: unknown;
  },
  change: () => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  const { key, caller, action, input } = asked;
  if (!KEY.test(key)) {
    throw new RefusedRequestError(
      "malformed",
      "Idempotency-Key has 1 to 255 printable ASCII characters, such as a UUID.",
    );
  }
  const holder = caller.tokenId ?? caller.holderId ?? caller.actor;
  const request = { id: hashOf([holder, action, key]), input: hashOf(input) };
  const begun = await answers.begin(request, now());
  if (begun.status === "done") return begun.answer;
  if (begun.status === "other") {
    throw new RefusedRequestError("key-reused", "Use a new Idempotency-Key for another request.");
  }
  if (begun.status === "running") {
    throw new RefusedRequestError("conflict", "The same request runs now. Ask for its result.");
  }
  try {
    const answer = await change();
    await answers.end(request, answer);
    return answer;
  } catch (error) {
    await answers.end(request, undefined);
    throw error;
  }
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
