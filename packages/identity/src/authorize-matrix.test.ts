import { expect, test } from "vitest";
import type { Action, RequiredAccess } from "./authorize.ts";
import { authorize } from "./authorize.ts";
import type { Level, NameStanding } from "./ownership/name-standing.ts";
import type { Role } from "./people/person.ts";
import { scopesWithin } from "./people/role-scopes.ts";
import type { Principal, SessionPrincipal } from "./principal.ts";
import { SCOPES } from "./scope.ts";
import type { LimitedName } from "./visibility/visibility.ts";

const NOW = new Date("2026-03-01T00:00:00Z");
const PROTOCOLS = ["nuget", "npm", "oci"] as const;
const NAMES = { nuget: "acme.widgets", npm: "@acme/widgets", oci: "acme/widgets" } as const;

/** The callers of the table. */
const COLUMNS = [
  "anonymous",
  "consumer",
  "publisher",
  "publisher with publish",
  "publisher with manage",
  "administrator",
  "policy with publish",
  "operator",
] as const;
type Column = (typeof COLUMNS)[number];

/**
 * Written by hand. `y` granted, `n` denied, `-` absent, `?` anonymous; `s` granted to a token, and
 * to a session that has confirmed it. Rows are actions on public names, unless they name another
 * visibility.
 */
const TABLE: Readonly<Record<string, string>> = {
  "read public": "y y y y y y y y",
  "read internal": "- y y y y y y y",
  "read private": "- - - y y y y y",
  "publish new": "? n y y y y n y",
  "publish new of others": "? n n n n y n y",
  publish: "? n n y y y y y",
  stage: "? n n y y y y y",
  tag: "? n n y y y y y",
  write: "? n n y y y y y",
  unlist: "? n n y y y n y",
  delete: "? n n n s s n y",
  manage: "? n n n s s n y",
  "publish internal": "? n n y y y y y",
  "publish private": "? n n y y y y y",
  "tag private": "? n - y y y y y",
  "unlist private": "? n - y y y n y",
  "delete private": "? n - n s s n y",
  "manage internal": "? n n n s s n y",
  "manage private": "? n - n s s n y",
  admin: "? n n n n s n y",
};

const LEVELS: Readonly<Partial<Record<Column, Level>>> = {
  "publisher with publish": "publish",
  "publisher with manage": "manage",
  "policy with publish": "publish",
};

type Requester = Principal | SessionPrincipal | undefined;
type Limits = Pick<Principal, "patterns" | "networks" | "protocols">;
const UNLIMITED: Limits = { patterns: [], networks: [], protocols: [] };

function tokenOf(column: Column, limits: Limits = UNLIMITED): Principal | undefined {
  const common = { tokenId: "t", name: "alice", ...limits };
  switch (column) {
    case "anonymous":
      return undefined;
    case "operator":
      return { ...common, scopes: SCOPES };
    case "policy with publish":
      return { ...common, scopes: ["read", "stage", "publish", "write"], policyId: "p" };
    default: {
      const role = roleOf(column);
      const user = { id: "u", handle: "alice", role, state: "active" } as const;
      return { ...common, scopes: scopesWithin(role, ["admin"]), user };
    }
  }
}

function sessionOf(column: Column, isConfirmed: boolean): SessionPrincipal | undefined {
  const user = tokenOf(column)?.user;
  return user && { kind: "session", name: user.handle, user, isConfirmed };
}

function roleOf(column: Column): Role {
  if (column === "consumer" || column === "administrator") return column;
  return "publisher";
}

function requestOf(row: string, column: Column, protocol: (typeof PROTOCOLS)[number]) {
  const [action = "", detail = "public"] = row.split(" ");
  const isNew = detail === "new";
  const isReserved = row.endsWith("of others");
  const level = isNew ? undefined : LEVELS[column];
  const limited: LimitedName | undefined =
    detail === "private" || detail === "internal"
      ? { visibility: detail, isOwn: level !== undefined }
      : undefined;
  const standing: NameStanding = {
    exists: !isNew,
    isOwned: !isNew,
    ...(level && { level }),
    owners: [],
    reservation: isReserved ? "others" : "none",
    mayCreate: column !== "policy with publish",
  };
  return {
    protocol,
    action: action as Action,
    name: NAMES[protocol],
    now: NOW,
    anonymousPull: true,
    ownership: { standing, newNames: "anyone" },
    limited,
  } satisfies RequiredAccess;
}

const LETTERS = {
  granted: "y",
  denied: "n",
  absent: "-",
  anonymous: "?",
  "step-up": "s",
} as const;

const CONFIRMED: Readonly<Record<string, string>> = { s: "y" };

function letterOf(requester: Requester, request: RequiredAccess): string {
  return LETTERS[authorize(requester, request).status];
}

const CELLS = Object.entries(TABLE).flatMap(([row, letters]) =>
  letters.split(" ").flatMap((letter, index) => {
    const column = COLUMNS[index];
    return column ? PROTOCOLS.map((protocol) => ({ row, column, protocol, letter })) : [];
  }),
);

test("tokens and sessions do what the table allows, in every protocol", () => {
  expect(CELLS).toHaveLength(Object.keys(TABLE).length * COLUMNS.length * PROTOCOLS.length);
  for (const { row, column, protocol, letter } of CELLS) {
    const request = requestOf(row, column, protocol);
    const cell = `${protocol}: ${row} by ${column}`;
    const byToken = CONFIRMED[letter] ?? letter;
    expect(`${cell} ${letterOf(tokenOf(column), request)}`).toBe(`${cell} ${byToken}`);
    const session = sessionOf(column, false);
    if (!session) continue;
    expect(`${cell} ${letterOf(session, request)}`).toBe(
      `${cell} ${CONFIRMED[letter] === undefined ? letter : "s"}`,
    );
    expect(`${cell} ${letterOf(sessionOf(column, true), request)}`).toBe(`${cell} ${byToken}`);
  }
});

const BOUNDS: readonly Limits[] = [
  { ...UNLIMITED, patterns: ["acme*", "@acme/*", "acme/**"] },
  { ...UNLIMITED, patterns: ["other"] },
  { ...UNLIMITED, networks: ["192.0.2.0/24"] },
  { ...UNLIMITED, protocols: ["npm"] },
];

test("limits of a token never allow what it may not do without them", () => {
  for (const { row, column, protocol } of CELLS) {
    const request = requestOf(row, column, protocol);
    const unlimited = letterOf(tokenOf(column), request);
    for (const limits of BOUNDS) {
      const limited = letterOf(tokenOf(column, limits), request);
      if (limited === "y") expect(unlimited).toBe("y");
    }
  }
});

test("a token never allows what its person may not do", () => {
  for (const { row, column, protocol } of CELLS) {
    const session = sessionOf(column, true);
    if (!session) continue;
    const request = requestOf(row, column, protocol);
    for (const scope of SCOPES) {
      const token = tokenOf(column);
      const scopes = scopesWithin(roleOf(column), [scope]);
      const byToken = letterOf(token && { ...token, scopes }, request);
      if (byToken === "y") expect(letterOf(session, request)).toBe("y");
    }
  }
});

const ACTIONS = ["read", "stage", "publish", "tag", "write", "unlist", "manage", "delete"] as const;

const REQUESTS = PROTOCOLS.flatMap((protocol) =>
  ACTIONS.flatMap((action) =>
    [true, false].map((anonymousPull) => ({
      protocol,
      action,
      name: NAMES[protocol],
      now: NOW,
      anonymousPull,
    })),
  ),
);

/** A caller with each limit, and with its session. */
function requestersOf(column: Column): readonly Requester[] {
  const tokens = [UNLIMITED, ...BOUNDS].map((limits) => tokenOf(column, limits));
  return [...tokens, sessionOf(column, false), sessionOf(column, true)];
}

test.each([
  ["nuget", "write", "absent"],
  ["npm", "write", "absent"],
  ["oci", "write", "denied"],
  ["npm", "publish", "denied"],
  ["npm", "stage", "denied"],
] as const)("in %s, %s of a hidden name is %s", (protocol, action, status) => {
  const request = requestOf("publish private", "publisher", protocol);
  expect(authorize(tokenOf("publisher"), { ...request, action })).toMatchObject({ status });
});

test("a hidden name is refused as an unknown one, and an own one is not hidden", () => {
  const outcomes = new Set<string>();
  for (const requester of COLUMNS.flatMap(requestersOf)) {
    for (const request of REQUESTS) {
      const unknown = authorize(requester, request);
      const [own, ...hidden] = [
        { visibility: "private", isOwn: true } as const,
        { visibility: "private", isOwn: false } as const,
        { visibility: "internal", isOwn: false } as const,
      ].map((limited) => authorize(requester, { ...request, limited }));
      for (const { status } of hidden) outcomes.add(`${unknown.status} ${own?.status} ${status}`);
      // Pages look the name up before they ask for the confirmation.
      if (unknown.status !== "granted" && unknown.status !== "step-up") {
        expect([own, ...hidden]).toEqual([unknown, unknown, unknown]);
      }
    }
  }
  expect([...outcomes].toSorted()).toEqual([
    "anonymous anonymous anonymous",
    "denied denied denied",
    // Where reading is public, the limits of a token count for hidden names alone.
    "granted absent absent",
    "granted granted absent",
    "granted granted denied",
    "granted granted granted",
    "step-up step-up absent",
    "step-up step-up step-up",
  ]);
});

test("policies and narrow tokens never change owners, trust or visibility", () => {
  for (const { row, column, protocol } of CELLS) {
    const request = { ...requestOf(row, column, protocol), action: "manage" } as const;
    for (const limits of BOUNDS.slice(0, 3)) {
      expect(letterOf(tokenOf(column, limits), request)).not.toBe("y");
    }
    if (column === "policy with publish") expect(letterOf(tokenOf(column), request)).toBe("n");
  }
});

test("a change of an unknown name has the answer for a hidden one, reserved or not", () => {
  const actions: readonly Action[] = [
    "publish",
    "stage",
    "tag",
    "write",
    "unlist",
    "delete",
    "manage",
  ];
  for (const protocol of PROTOCOLS) {
    for (const action of actions) {
      const decide = (row: string) =>
        authorize(
          sessionOf("publisher", true),
          requestOf(`${action} ${row}`, "publisher", protocol),
        );
      const [hidden, unknown] = [decide("private"), decide("new of others")];
      // Protocols answer a granted change of an unknown name as an absent one.
      expect([protocol, action, unknown.status]).toEqual([
        protocol,
        action,
        hidden.status === "absent" ? "granted" : hidden.status,
      ]);
    }
  }
});

test("a consumer may do less than a publisher, who may do less than an administrator", () => {
  const RISING = ["consumer", "publisher", "administrator"] as const;
  for (const { row, protocol } of CELLS) {
    const [consumer, publisher, administrator] = RISING.map((column) =>
      letterOf(sessionOf(column, true), requestOf(row, column, protocol)),
    );
    if (consumer === "y") expect(publisher).toBe("y");
    if (publisher === "y") expect(administrator).toBe("y");
  }
});

test.each([
  ["a reserved name", { reservation: "others" }, "anyone", /^The name acme\.widgets is reserved/],
  ["a name without reservation", {}, "reserved", /^New names must be reserved/],
  ["a name below a shared prefix", { reservation: "shared" }, "reserved", undefined],
  ["a reserved name of its own", { reservation: "own" }, "reserved", undefined],
  ["a name that nobody would own", { mayCreate: false }, "anyone", /belongs to no team/],
  ["a name of others", { isOwned: true }, "anyone", /belongs to other owners/],
  ["a name without owner", { exists: true }, "anyone", /sealhouse owner add nuget acme\.widgets/],
] as const)("publishing %s", (_, fields, newNames, reason) => {
  const request = requestOf("publish new", "publisher", "nuget");
  const standing = { ...request.ownership.standing, ...fields };
  const decision = authorize(tokenOf("publisher"), {
    ...request,
    ownership: { standing, newNames },
  });
  if (reason === undefined) expect(decision.status).toBe("granted");
  else
    expect(decision).toEqual({
      status: "denied",
      reason: expect.stringMatching(reason) as unknown,
    });
});
