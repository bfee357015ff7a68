import { createFailureLimiter, DEFAULT_FAILURE_LIMITS } from "./failure-limiter.ts";
import { parseLoginCode } from "./login-code.ts";
import type { LoginSession, LoginSessions } from "./login-sessions.ts";
import { networksOfAddress } from "./network.ts";
import type { SignInFailures } from "./ports.ts";

/** Dependencies of `createLoginCodes`. */
export type LoginCodesOptions = {
  readonly loginSessions: Pick<LoginSessions, "findByCode">;
  /** Failures at all instances; undefined when one process serves the feed. */
  readonly failures?: SignInFailures | undefined;
  readonly now: () => Date;
};

/** Finds sign-ins of command-line clients by the codes that people type. */
export interface LoginCodes {
  /** `limited`: too many unknown codes came from the network of the address. */
  find(typed: string, address: string | undefined): Promise<LoginSession | "limited" | undefined>;
}

/** Creates the lookup, which limits guesses: unknown codes of each network. */
export function createLoginCodes({ loginSessions, failures, now }: LoginCodesOptions): LoginCodes {
  const guesses = createFailureLimiter(DEFAULT_FAILURE_LIMITS, failures);
  return {
    async find(typed, address = "") {
      const networks = networksOfAddress(address);
      const counted = networks.map(({ key, share }) => ({ key: `code ${key}`, share }));
      if ((await guesses.retryAfterSeconds(counted, now())) !== undefined) return "limited";
      const code = parseLoginCode(typed);
      const session = code === undefined ? undefined : await loginSessions.findByCode(code);
      if (!session) await guesses.failed(counted, now());
      return session;
    },
  };
}
