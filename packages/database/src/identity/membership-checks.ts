import { SYSTEM } from "@sealhouse/events";
import type { DueCheck, MembershipChecks } from "@sealhouse/identity";
import type { Queries } from "../statements/queries.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Changes } from "../transactions/changes.ts";
import { followGroups, writeState } from "./follow-provider.ts";
import {
  CLAIM_CHECK,
  DUE_CHECKS,
  DUE_CHECKS_OF,
  IDENTITY,
  SET_GONE,
  SET_MEMBER,
  SET_UNKNOWN,
} from "./identity-rows.ts";
import { holdPeople } from "./owner-names.ts";
import { ROLE_SOURCES, SET_VALIDATED, USER_BY_ID, personOf } from "./people-rows.ts";
import { memberOf } from "./token-rows.ts";

export function createMembershipChecks(queries: Queries, changes: Changes): MembershipChecks {
  return {
    async claim({ before, until, most, userIds }) {
      const due = { before, now: changes.now() };
      const rows = userIds
        ? await queries.all(DUE_CHECKS_OF, { ...due, most, userIds })
        : await queries.all(DUE_CHECKS, { ...due, most });
      const claimed: DueCheck[] = [];
      for (const row of rows) {
        const { issuer, subject } = row;
        const changed = await queries.run(CLAIM_CHECK, { issuer, subject, ...due, until });
        if (changed > 0) claimed.push(dueCheckOf(row));
      }
      return claimed;
    },
    record: (checked, result) => record(changes, checked, result),
    userOf: async ({ issuer, subject }) =>
      (await queries.one(IDENTITY, { issuer, subject }))?.user_id,
  };
}

function dueCheckOf(row: RowOf<typeof DUE_CHECKS>): DueCheck {
  return {
    userId: row.user_id,
    issuer: row.issuer,
    subject: row.subject,
    roleSource: memberOf("role_source", row.role_source, ROLE_SOURCES),
    ...(row.sealed_grant && { sealedGrant: new Uint8Array(row.sealed_grant) }),
    ...(row.validated_at && { validatedAt: row.validated_at }),
  };
}

function record(
  changes: Changes,
  { userId, issuer, subject }: Parameters<MembershipChecks["record"]>[0],
  { check, sealedGrant, at }: Parameters<MembershipChecks["record"]>[1],
): Promise<boolean> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    const { queries } = unit;
    const identity = await queries.one(IDENTITY, { issuer, subject });
    const row = await queries.one(USER_BY_ID, { id: userId });
    if (!row || !identity?.claimed_until) return false;
    const person = personOf(row);
    switch (check.outcome) {
      case "unknown":
        await queries.run(SET_UNKNOWN, { issuer, subject });
        return false;
      case "member": {
        await queries.run(SET_MEMBER, { issuer, subject, sealedGrant, at });
        await queries.run(SET_VALIDATED, { id: userId, at });
        const { role, groups } = check;
        return followGroups(changes, unit, { person, role, groups, at });
      }
      case "gone": {
        await queries.run(SET_GONE, { issuer, subject, at });
        if (person.state !== "active") return false;
        const { reason } = check;
        return writeState(changes, unit, { person, state: "suspended", reason, by: SYSTEM });
      }
    }
  });
}
