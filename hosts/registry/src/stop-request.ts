import { constants } from "node:os";

/** The process was asked to end. */
export class StopRequest extends Error {
  // As errors of aborted calls are named.
  override readonly name = "AbortError";
  readonly code = "stop-request";
  /** 128 plus the number of the signal, as shells report it: 130 for SIGINT, 143 for SIGTERM. */
  readonly exitCode: number;

  constructor(signal: "SIGINT" | "SIGTERM") {
    super(`Stopped by ${signal}.`);
    this.exitCode = SIGNAL_BASE + constants.signals[signal];
  }
}

const SIGNAL_BASE = 128;
