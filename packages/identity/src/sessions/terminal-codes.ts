import { makeLoginCode, parseLoginCode } from "../login-code.ts";

/** Milliseconds for which a code is valid. */
export const TERMINAL_CODE_MS = 10 * 60_000;
/** Wrong answers after which a code is void. */
const ATTEMPTS_MAX = 5;
/** Codes that the host prints within `TERMINAL_CODE_MS`. */
const PRINTED_MAX = 20;

/**
 * One-time codes that the host prints in its terminal. A person who types one can read the
 * terminal, and could also run a command there. In memory of one process.
 */
export interface TerminalCodes {
  /** Prints a new code for an action; its former code is void. False when too many were printed. */
  print(purpose: string, words: string): boolean;
  /** Whether a text is the code of an action. A right one is used up. */
  take(purpose: string, text: string): boolean;
}

/** Opens the codes. `print` shows a code with what it confirms. */
export function createTerminalCodes({
  print,
  now,
  random,
}: {
  readonly print: (code: string, words: string) => void;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
}): TerminalCodes {
  const codes = new Map<
    string,
    { readonly code: string; readonly until: number; attempts: number }
  >();
  let printed: readonly number[] = [];
  return {
    print(purpose, words) {
      const time = now().getTime();
      printed = printed.filter((at) => at > time - TERMINAL_CODE_MS);
      for (const [key, { until }] of codes) if (until <= time) codes.delete(key);
      if (printed.length >= PRINTED_MAX) return false;
      printed = [...printed, time];
      const code = makeLoginCode(random);
      codes.set(purpose, { code, until: time + TERMINAL_CODE_MS, attempts: 0 });
      print(code, words);
      return true;
    },
    take(purpose, text) {
      const waiting = codes.get(purpose);
      if (!waiting || waiting.until <= now().getTime()) return false;
      waiting.attempts += 1;
      const isRight = parseLoginCode(text) === waiting.code;
      if (isRight || waiting.attempts >= ATTEMPTS_MAX) codes.delete(purpose);
      return isRight;
    },
  };
}
