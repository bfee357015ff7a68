import { formatCookie } from "@sealhouse/identity";
import type { Hono } from "hono";
import { CONFIRM } from "./confirmation.ts";
import type { SessionPorts } from "./session-ports.ts";

/**
 * Finds the session of each request before its page is made. No cache keeps a page of a session,
 * and a renewed secret reaches the browser with it.
 */
export function useSessions(app: Hono, { pageSessions, rules, cookies }: SessionPorts): void {
  app.use("*", async (c, next) => {
    const { headers, method } = c.req.raw;
    const context = rules.contexts.of(c.req.raw, c.env);
    const mayRotate = method === "GET" && !isOfConfirmation(c.req.path);
    const session = await pageSessions.load({ headers, context, mayRotate });
    await next();
    if (!session) return;
    c.header("cache-control", "private, no-store");
    const isReplaced = c.res.headers
      .getSetCookie()
      .some((cookie) => cookie.startsWith(`${cookies.session}=`));
    if (!session.isRenewed || isReplaced) return;
    c.header("set-cookie", formatCookie(cookies.session, session.secret), { append: true });
  });
}

/** A new secret of the session would end the form that waits for its confirmation. */
function isOfConfirmation(path: string): boolean {
  return path.startsWith(`${CONFIRM}/`) || path.startsWith("/signin-");
}
