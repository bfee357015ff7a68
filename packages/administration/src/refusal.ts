/**
 * Why an action was refused: the status of the answer, and a title. `denied` and `anonymous` come
 * from the authorization, the others from actions and from the reading of requests.
 */
export const REFUSALS = {
  malformed: { status: 400, title: "The request cannot be read" },
  anonymous: { status: 401, title: "Credentials are missing or not valid" },
  denied: { status: 403, title: "Not allowed" },
  absent: { status: 404, title: "Not found" },
  exists: { status: 409, title: "It exists already" },
  busy: { status: 409, title: "Another run of the same work has not ended" },
  conflict: { status: 409, title: "The state of the registry does not allow it" },
  "wrong-method": { status: 405, title: "The method is not allowed" },
  stale: { status: 412, title: "It was changed since it was read" },
  "too-large": { status: 413, title: "The request is too large" },
  "not-json": { status: 415, title: "The request is not JSON" },
  invalid: { status: 422, title: "A field is not valid" },
  "key-reused": { status: 422, title: "The idempotency key belongs to another request" },
  "no-precondition": { status: 428, title: "The entity tag is missing" },
  limited: { status: 429, title: "Too many requests" },
  unsupported: { status: 501, title: "Not available here" },
  unavailable: { status: 503, title: "Not available now" },
} as const;

/** Name of a refusal, which ends the URN of its problem. */
export type RefusalReason = keyof typeof REFUSALS;

/** The refusals that an action gives itself. */
export type ActionRefusal =
  | "absent"
  | "exists"
  | "busy"
  | "conflict"
  | "invalid"
  | "unsupported"
  | "unavailable";

/** An action was refused, and changed nothing. The message is for the person who asked. */
export class RefusedActionError extends Error {
  override readonly name = "RefusedActionError";
  readonly code = "action-refused";
  readonly reason: ActionRefusal;
  /** Problems of single fields. */
  readonly problems: readonly RefusedField[];

  /** `cause`: an error that a command ends with instead. */
  constructor(
    reason: ActionRefusal,
    message: string,
    problems: readonly RefusedField[] = [],
    options: { readonly cause?: Error } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.problems = problems;
  }
}

/** A field that an action refuses. `words` continue its name: "must be a date." */
export type RefusedField = { readonly field: string; readonly words: string };

/** Refuses the value of a field. */
export function invalidField(field: string, words: string): RefusedActionError {
  return invalidFields([{ field, words }]);
}

/** Refuses several fields. */
export function invalidFields(problems: readonly RefusedField[]): RefusedActionError {
  const message = problems.map(({ field, words }) => `${field} ${words}`).join(" ");
  return new RefusedActionError("invalid", message, problems);
}

export function absent(message: string): RefusedActionError {
  return new RefusedActionError("absent", message);
}

export function conflict(message: string): RefusedActionError {
  return new RefusedActionError("conflict", message);
}

/** A run that has not ended. */
type BusyRun = {
  /** The time from which a command works if the other run was killed; undefined: at once. */
  readonly heldUntil: Date | undefined;
};

/** Refuses work that runs already. `what` names the run. */
export function busy(what: string, run: BusyRun): RefusedActionError {
  return new RefusedActionError("busy", busySentence(what, run));
}

/** Returns what a person does about a run that has not ended. */
export function busySentence(what: string, { heldUntil }: BusyRun): string {
  if (heldUntil === undefined) return `Another ${what} has just ended. Run this command again.`;
  const time = `${heldUntil.toISOString().slice(0, 19)}Z`;
  return (
    `Another ${what} is running; wait until it ends. ` +
    `If it was killed, run this command again at ${time}.`
  );
}
