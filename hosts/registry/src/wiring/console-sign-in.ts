import type { SignInPorts } from "@sealhouse/console";
import { parseLoginCode } from "@sealhouse/identity";
import type { AccountParts } from "./npm-accounts.ts";

/** What the page shows that a command line opens while it waits. */
export function signInPages({
  database,
  rules,
}: Pick<AccountParts, "database" | "rules">): SignInPorts["waiting"] {
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
