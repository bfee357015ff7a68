import { expect, test } from "vitest";
import type { AccessRules } from "./access-rules.ts";
import { openRequestDecisions } from "./identification.ts";
import { authorizePackage } from "./package-access.ts";
import type { TokenUser } from "../ports.ts";
import type { Principal, SessionPrincipal } from "../principal.ts";
import { createNameViews } from "../visibility/visibility.ts";
import { createPageSessions } from "./page-sessions.ts";
import { cookieNames } from "../sessions/cookies.ts";

const createOrigin = () => ({ id: "request", decisions: openRequestDecisions() });
const now = new Date("2026-01-01T00:00:00Z");
const user = { id: "1", handle: "ada", role: "administrator", state: "active" } as const;

test.each([
  { hasSecondFactor: true, action: "write", name: "@acme/app", status: "granted" },
  { hasSecondFactor: false, action: "write", name: "@acme/app", status: "denied" },
  { hasSecondFactor: undefined, action: "unlist", name: "@acme/app", status: "denied" },
  { hasSecondFactor: false, action: "read", name: "@acme/app", status: "granted" },
  { hasSecondFactor: false, action: "write", name: "@other/app", status: "granted" },
] as const)(
  "where @acme/* requires a second factor, $action of $name with $hasSecondFactor: $status",
  async ({ hasSecondFactor, action, name, status }) => {
    const { rules } = openRules();
    const principal = createTestPrincipal({
      ...user,
      ...(hasSecondFactor !== undefined && { hasSecondFactor }),
    });
    const strict: AccessRules = {
      ...rules,
      mfaPatterns: ["@acme/*"],
      identifyPage: async () => ({ status: "principal", principal }),
    };
    const request = { headers: new Headers(), context: createOrigin() };
    const verdict = await authorizePackage(strict, { protocol: "npm", action, name }, request);
    expect(verdict.status).toBe(status);
    if (verdict.status === "denied") expect(verdict.reason).toContain("second factor");
  },
);

const UNPROVEN = "require a second factor";

test.each([
  ["delete", false, "denied", UNPROVEN],
  ["delete", true, "absent", ""],
  ["publish", false, "denied", UNPROVEN],
  ["publish", true, "denied", "belongs to other owners"],
  ["write", false, "denied", UNPROVEN],
  ["manage", false, "denied", UNPROVEN],
] as const)(
  "asks to %s a hidden name with a second factor %s: %s %s",
  async (action, hasSecondFactor, status, reason) => {
    const { rules } = openRules();
    const principal = createTestPrincipal({ ...user, role: "publisher", hasSecondFactor });
    const entry = { name: "@acme/app", visibility: "private", owners: [] } as const;
    const strict = (isHidden: boolean): AccessRules => ({
      ...rules,
      mfaPatterns: ["@acme/*"],
      identifyPage: async () => ({ status: "principal", principal }),
      views: createNameViews({
        any: async () => isHidden,
        find: async () => (isHidden ? entry : undefined),
        list: async () => (isHidden ? [entry] : []),
        ownersOf: async () => ["1"],
      }),
    });
    const access = { protocol: "npm", action, name: "@acme/app" } as const;
    const verdictOf = (isHidden: boolean) =>
      authorizePackage(strict(isHidden), access, {
        headers: new Headers(),
        context: createOrigin(),
      });
    const hidden = await verdictOf(true);
    expect([hidden.status, "reason" in hidden ? hidden.reason : ""]).toEqual([
      status,
      expect.stringContaining(reason),
    ]);
    // An unknown name is refused in the same way.
    if (!hasSecondFactor) expect(await verdictOf(false)).toEqual(hidden);
  },
);

/** A token of a user, with all scopes. */
function createTestPrincipal(holder: TokenUser): Principal {
  const scopes = ["read", "write", "delete"] as const;
  const limits = { protocols: [], patterns: [], networks: [] };
  return { tokenId: "t", name: holder.handle, user: holder, scopes, ...limits };
}

/** The rules of pages, as far as a session needs them. */
function openRules() {
  const principal: SessionPrincipal = { kind: "session", name: "ada", user };
  const times = { createdAt: now, endsAt: now };
  const session = { principal, hash: "h", secret: "s", isRenewed: false, ...times };
  const base = {
    anonymousPull: true,
    now: () => now,
    contexts: { of: createOrigin, confirmAddress: () => undefined },
  } as unknown as AccessRules;
  const cookies = cookieNames();
  const sessions = { find: async () => session };
  const pages = createPageSessions({ sessions, cookies, rules: base });
  const rules: AccessRules = { ...base, identifyPage: pages.identify };
  return { pages, rules, headers: new Headers({ cookie: `${cookies.session}=s` }) };
}

test.each([
  { isConfirmed: false, mayRotate: false, action: "delete", status: "denied" },
  { isConfirmed: false, mayRotate: false, action: "manage", status: "denied" },
  { isConfirmed: false, mayRotate: false, action: "read", status: "granted" },
  { isConfirmed: false, mayRotate: true, action: "delete", status: "granted" },
  { isConfirmed: true, mayRotate: false, action: "delete", status: "granted" },
] as const)(
  "a session, confirmed $isConfirmed, of a page that it reads: $mayRotate, $action: $status",
  async ({ isConfirmed, mayRotate, action, status }) => {
    const { pages, rules, headers } = openRules();
    const context = createOrigin();
    await pages.load({ headers, context, mayRotate });
    if (isConfirmed) pages.confirm(context);
    const access = { protocol: "npm", action, name: "app" } as const;
    expect((await authorizePackage(rules, access, { headers, context })).status).toBe(status);
  },
);
