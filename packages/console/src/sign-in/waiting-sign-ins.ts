import type { SignInPorts } from "./sign-in-app.ts";
import { parseLoginCode } from "@sealhouse/identity";
import type { AccessRules, LoginSessions } from "@sealhouse/identity";

/** Data sources of the sign-in page. */
export type SignInSources = {
  readonly loginSessions: Pick<LoginSessions, "findByCode">;
  readonly rules: Pick<AccessRules, "now">;
};

/** Returns the port that finds sign-ins by the code in the URL. */
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
