import type { SignInPorts } from "./sign-in-app.ts";
import { parseLoginCode } from "@sealhouse/identity";
import type { AccessRules, LoginSessions } from "@sealhouse/identity";

/** The data that the sign-in page shows. */
export type SignInSources = {
  readonly loginSessions: Pick<LoginSessions, "findByCode">;
  readonly rules: Pick<AccessRules, "now">;
};

/** Returns what that page shows. */
export function signInPages({ loginSessions, rules }: SignInSources): SignInPorts["waiting"] {
  return async (typed) => {
    const code = parseLoginCode(typed);
    const session = code === undefined ? undefined : await loginSessions.findByCode(code);
    if (!session) return undefined;
    const { purpose, grant, deniedAt, expiresAt, address } = session;
    const isOver = expiresAt <= rules.now();
    return {
      code: session.code,
      purpose,
      state: deniedAt ? "denied" : grant ? "agreed" : isOver ? "ended" : "waiting",
      until: expiresAt,
      ...(address !== undefined && { address }),
    };
  };
}
