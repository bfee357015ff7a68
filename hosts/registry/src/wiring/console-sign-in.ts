import type { SignInPorts } from "@sealhouse/console";
import { parseLoginCode } from "@sealhouse/identity";
import type { Parts } from "./parts.ts";

/** The page below the public address that shows the code of a waiting command line. */
export const SIGN_IN_PATH = "/sign-in";

/** Returns what that page shows. */
export function signInPages({
  database,
  rules,
}: Pick<Parts, "database" | "rules">): SignInPorts["waiting"] {
  return async (typed) => {
    const code = parseLoginCode(typed);
    const session = code === undefined ? undefined : await database.loginSessions.findByCode(code);
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
