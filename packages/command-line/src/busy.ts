/** Exit code of a command that did nothing, because another run of the same work has not ended. */
export const EXIT_BUSY = 5;

/** Another run of the same work has not ended. */
export type BusyRun = {
  readonly status: "busy";
  /** The time from which a command works if the other run was killed; undefined: at once. */
  readonly heldUntil: Date | undefined;
};

/** Returns what a person does about a run that has not ended. `what` names the run. */
export function busySentence(what: string, { heldUntil }: BusyRun): string {
  if (heldUntil === undefined) return `Another ${what} has just ended. Run this command again.`;
  const time = `${heldUntil.toISOString().slice(0, 19)}Z`;
  return (
    `Another ${what} is running; wait until it ends. ` +
    `If it was killed, run this command again at ${time}.`
  );
}
