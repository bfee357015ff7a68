import { randomUUID } from "node:crypto";
import { SYSTEM } from "@sealhouse/events";
import type { Caller } from "@sealhouse/request-types";
import { handleProblem, numberedHandle } from "@sealhouse/identity";
import type {
  Arrival,
  NewArrival,
  NewPerson,
  People,
  PeoplePages,
  Person,
  Role,
  UserState,
} from "@sealhouse/identity";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import type { Queries } from "../statements/queries.ts";
import { requireGoodCaller } from "./good-token.ts";
import { followGroups, isLastAdministrator, writeRole, writeState } from "./follow-provider.ts";
import { GONE_IDENTITIES, IDENTITY, INSERT_IDENTITY, SET_IDENTITY } from "./identity-rows.ts";
import { holdPeople, isTaken, takeName } from "./owner-names.ts";
import {
  BLOCKED_FROM,
  INSERT_USER,
  SET_SIGNED_IN,
  USERS,
  USERS_AFTER,
  USER_BY_ID,
  USER_BY_NAME,
  personOf,
} from "./people-rows.ts";

const HANDLE_MAX = 39;

export function createPeople(queries: Queries, changes: Changes): People & PeoplePages {
  return {
    arrive: (arrival) => arrive(changes, arrival),
    add: (person, time, by) => add(changes, { person, at: time, by }),
    async find(handleOrId) {
      const text = handleOrId.toLowerCase();
      if (text.length > HANDLE_MAX) return undefined;
      const row = await queries.one(USER_BY_NAME, { text });
      return row && personOf(row);
    },
    list: async () => (await queries.all(USERS, {})).map(personOf),
    page: async ({ after = "", limit }) =>
      (await queries.all(USERS_AFTER, { after, limit })).map(personOf),
    setRole: (id, role, by) => setRole(changes, { id, role, by }),
    setState: (id, { state, reason }, by) => setState(changes, { id, state, reason, by }),
    unblock: (id, by) => unblock(changes, id, by),
  };
}

function arrive(changes: Changes, arrival: NewArrival): Promise<Arrival> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    const { issuer, subject, shown } = arrival.verified;
    const identity = await unit.queries.one(IDENTITY, { issuer, subject });
    const userId = identity?.user_id ?? randomUUID();
    if (!identity) await addArrived(changes, unit, { arrival, id: userId });
    await unit.queries.run(identity ? SET_IDENTITY : INSERT_IDENTITY, {
      issuer,
      subject,
      userId,
      shown: storableText(shown),
      sealedGrant: arrival.sealedGrant,
      at: arrival.at,
    });
    const person = await followArrival(changes, unit, { arrival, id: userId });
    return { person, isNew: !identity };
  });
}

type Arriving = { readonly arrival: NewArrival; readonly id: string };

/** Adds the user of a new account, under the first free handle. */
async function addArrived(changes: Changes, unit: Unit, { arrival, id }: Arriving): Promise<void> {
  const { verified, state, at } = arrival;
  const handle = await freeHandle(unit, arrival.handle);
  const role = verified.role ?? arrival.role;
  await takeName(unit, { name: handle, kind: "user", ownerId: id, at });
  await unit.queries.run(INSERT_USER, {
    id,
    handle,
    displayName: storableText(verified.displayName),
    email: verified.email === undefined ? undefined : storableText(verified.email),
    role,
    roleSource: "group",
    state,
    epoch: 0,
    createdAt: at,
    validatedAt: at,
    lastSignInAt: at,
  });
  const detail = { change: "added", role, state };
  const subject = `user/${handle}`;
  await changes.event(unit, { type: "user.changed", subject, caller: SYSTEM, detail });
}

async function freeHandle(unit: Unit, wanted: string): Promise<string> {
  const base = handleProblem(wanted) === undefined ? wanted : "user";
  let handle = base;
  for (let number = 2; await isTaken(unit, handle); number++) handle = numberedHandle(base, number);
  return handle;
}

/** Follows what the provider tells, revives who was suspended, and writes the event. */
async function followArrival(
  changes: Changes,
  unit: Unit,
  { arrival, id }: Arriving,
): Promise<Person> {
  const { verified, at, address } = arrival;
  const { displayName, email, role, groups, issuer, hasSecondFactor } = verified;
  await unit.queries.run(SET_SIGNED_IN, {
    id,
    displayName: storableText(displayName),
    email: email === undefined ? undefined : storableText(email),
    secondFactor: hasSecondFactor === undefined ? undefined : hasSecondFactor ? "yes" : "no",
    at,
  });
  const arrived = await requirePerson(unit, id);
  await followGroups(changes, unit, { person: arrived, role, groups, at });
  if (arrived.state === "suspended") {
    await writeState(changes, unit, { person: arrived, state: "active", by: SYSTEM });
  }
  const person = await requirePerson(unit, id);
  const caller = { actor: person.handle, ...(address !== undefined && { address }) };
  const account = storableText(verified.shown);
  const subject = `user/${person.handle}`;
  if (person.state === "active") {
    const detail = { issuer, account };
    await changes.event(unit, { type: "user.signed-in", subject, caller, detail });
  } else {
    const detail = { code: person.state, reason: REASONS[person.state], account };
    await changes.event(unit, { type: "user.refused", subject, caller, detail });
  }
  return person;
}

const REASONS = {
  pending: "The user waits for the approval of an administrator.",
  suspended: "The user is no longer a member of the organization.",
  blocked: "An administrator has blocked the user.",
} as const satisfies Record<Exclude<UserState, "active">, string>;

type Adding = { readonly person: NewPerson; readonly at: Date; readonly by: Caller };

function add(changes: Changes, { person, at, by }: Adding): Promise<"added" | "taken"> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    const { id, handle, displayName, role, email } = person;
    if (!(await takeName(unit, { name: handle, kind: "user", ownerId: id, at }))) return "taken";
    await unit.queries.run(INSERT_USER, {
      id,
      handle,
      displayName: storableText(displayName),
      email: email === undefined ? undefined : storableText(email),
      role,
      roleSource: "hand",
      state: "active",
      epoch: 0,
      createdAt: at,
      validatedAt: undefined,
      lastSignInAt: undefined,
    });
    const detail = { change: "added", role, state: "active" };
    const subject = `user/${handle}`;
    await changes.event(unit, { type: "user.changed", subject, caller: by, detail });
    return "added";
  });
}

type Outcome = "set" | "unchanged" | "absent" | "last";

type RoleChange = { readonly id: string; readonly role: Role | "group"; readonly by: Caller };

function setRole(changes: Changes, { id, role, by }: RoleChange): Promise<Outcome> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    await requireGoodCaller(unit.queries, by, changes.now());
    const person = await findPerson(unit, id);
    if (!person) return "absent";
    if (role === "group") {
      if (person.roleSource === "group") return "unchanged";
      await writeRole(changes, unit, { person, role: person.role, source: "group", by });
      return "set";
    }
    if (person.role === role && person.roleSource === "hand") return "unchanged";
    if (role !== "administrator" && (await isLastAdministrator(unit, person))) return "last";
    await writeRole(changes, unit, { person, role, source: "hand", by });
    return "set";
  });
}

type StateChange = {
  readonly id: string;
  readonly state: UserState;
  readonly reason: string | undefined;
  readonly by: Caller;
};

function setState(changes: Changes, { id, state, reason, by }: StateChange): Promise<Outcome> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    await requireGoodCaller(unit.queries, by, changes.now());
    const person = await findPerson(unit, id);
    if (!person) return "absent";
    if (person.state === state) return "unchanged";
    if (state !== "active" && (await isLastAdministrator(unit, person))) return "last";
    await writeState(changes, unit, { person, state, reason, by });
    return "set";
  });
}

function unblock(changes: Changes, id: string, by: Caller): Promise<Exclude<Outcome, "last">> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    await requireGoodCaller(unit.queries, by, changes.now());
    const person = await findPerson(unit, id);
    if (!person) return "absent";
    if (person.state !== "blocked") return "unchanged";
    const state = await stateAfterBlock(unit, id);
    const reason = state === "suspended" ? REASONS.suspended : undefined;
    await writeState(changes, unit, { person, state, reason, by });
    return "set";
  });
}

/** A block neither approves a user nor makes it a member again. */
async function stateAfterBlock(
  { queries }: Unit,
  id: string,
): Promise<"pending" | "suspended" | "active"> {
  const row = await queries.one(BLOCKED_FROM, { id });
  if (row?.blocked_from === "pending") return "pending";
  const gone = await queries.all(GONE_IDENTITIES, { userId: id });
  return gone.length > 0 ? "suspended" : "active";
}

async function findPerson({ queries }: Unit, id: string): Promise<Person | undefined> {
  const row = await queries.one(USER_BY_ID, { id });
  return row && personOf(row);
}

async function requirePerson(unit: Unit, id: string): Promise<Person> {
  const person = await findPerson(unit, id);
  if (!person) throw new Error(`The user ${id} of an account is missing.`);
  return person;
}
