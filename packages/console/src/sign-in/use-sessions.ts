import { formatCookie } from "@sealhouse/identity";
import type { Hono } from "hono";
import { KEPT } from "../kit/page/document.ts";
import { CONFIRM } from "./confirmation.ts";
import type { SessionPorts } from "./session-ports.ts";

/**
 * Finds the session of each request before its page is made. A renewed secret reaches the browser
 * with it; nothing keeps that answer.
 */
export function useSessions(app: Hono, { pageSessions, rules, cookies }: SessionPorts): void {
  app.use("*", async (c, next) => {
    const { headers, method } = c.req.raw;
    const context = rules.contexts.of(c.req.raw, c.env);
    const mayRotate = method === "GET" && !isOfConfirmation(c.req.path);
    const session = await pageSessions.load({ headers, context, mayRotate });
    await next();
    if (!session) return;
    const isKept = !session.isRenewed && c.res.headers.get("cache-control") === KEPT;
    if (!isKept) c.header("cache-control", "private, no-store");
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
