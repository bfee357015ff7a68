import { SigningError } from "../errors.ts";
import type { SigningProblem } from "../errors.ts";

/** The answer of the thread to one task. */
export type TaskAnswer =
  | { readonly status: "done"; readonly result: unknown }
  | { readonly status: "refused"; readonly fault: SigningFault }
  /** An error that threads can copy, such as a RangeError. */
  | { readonly status: "failed"; readonly error: unknown };

type SigningFault = {
  readonly problem: SigningProblem;
  readonly message: string;
  /** The text of the cause: threads do not copy classes of ours. */
  readonly cause: string | undefined;
};

/** The answer for an error; a SigningError loses its class on the way, not its contents. */
export function answerOf(error: unknown): TaskAnswer {
  if (!(error instanceof SigningError)) return { status: "failed", error };
  const { problem, message, cause } = error;
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : undefined;
  return { status: "refused", fault: { problem, message, cause: text } };
}

/** The error of an answer. */
export function errorOf(fault: SigningFault): SigningError {
  const cause = fault.cause === undefined ? undefined : new Error(fault.cause);
  return new SigningError(fault.problem, fault.message, { cause });
}
