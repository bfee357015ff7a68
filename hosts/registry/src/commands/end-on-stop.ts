import { StopRequest } from "../stop-request.ts";

/** Milliseconds that a command may take to end after the process was asked to end. */
const END_MAX_MS = 5_000;
const FAILED = 1;

/**
 * Resolves to the exit code of a command. Rejects when the process was asked to end and the command
 * has not ended by itself some seconds later, or ended with 0 or 1.
 */
export async function endOnStop<Code extends number | undefined>(
  running: Promise<Code>,
  stop: AbortSignal,
  endMaxMs = END_MAX_MS,
): Promise<Code> {
  const late = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const startTimer = () => {
    timer = setTimeout(() => late.reject(stop.reason), endMaxMs);
  };
  if (stop.aborted) startTimer();
  else stop.addEventListener("abort", startTimer, { once: true });
  try {
    const code = await Promise.race([running, late.promise]);
    if (code === 0 || code === FAILED) stop.throwIfAborted();
    return code;
  } finally {
    stop.removeEventListener("abort", startTimer);
    clearTimeout(timer);
  }
}

/** The sentence and the exit code of a command that was stopped. */
export function stopOutcome({ reason }: AbortSignal): { sentence: string; code: number } {
  const request = reason instanceof StopRequest ? reason : new StopRequest("SIGINT");
  return { sentence: request.message, code: request.exitCode };
}
