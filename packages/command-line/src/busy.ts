/** Exit code of a command that did nothing, because another run of the same work has not ended. */
export const EXIT_BUSY = 5;

/** Another run of the same work has not ended. */
export type BusyRun = {
  readonly status: "busy";
  /** The time from which a command works if the other run was killed; undefined: at once. */
  readonly heldUntil: Date | undefined;
};
