import assert from "node:assert/strict";
import type { MembershipCheck } from "../sign-in/provider.ts";
import type { PeoplePorts, PeopleTest } from "./test-people.ts";
import { newArrival } from "./test-people.ts";

const by = { actor: "contract" };
const HOUR_MS = 60 * 60_000;
const at = new Date("2026-03-01T10:20:30.456Z");
const before = new Date("2026-03-01T12:00:00Z");
const checkedAt = new Date("2026-03-01T13:00:00Z");
const sealedGrant = new Uint8Array([1, 2, 3]);
const member: MembershipCheck = { outcome: "member", groups: [] };

/** Claims last an hour from now, or have ended already. */
const claimOf = (most = 10) => ({ before, until: new Date(Date.now() + HOUR_MS), most });
const ended = { before, until: new Date(0), most: 10 };

/** Cases of the contract of people: checks of memberships. */
export const membershipCases: readonly PeopleTest[] = [
  {
    name: "keeps whether the last sign-in had a second factor",
    async run({ people }) {
      for (const hasSecondFactor of [true, false]) {
        const { person } = await people.arrive(newArrival({ hasSecondFactor }));
        assert.equal(person.hasSecondFactor, hasSecondFactor);
      }
      const { person } = await people.arrive(newArrival());
      assert.equal(person.hasSecondFactor, undefined);
    },
  },
  {
    name: "finds the user of an account, and adds none",
    async run({ people, membershipChecks }) {
      const { person } = await people.arrive(newArrival({ subject: "1" }));
      const userOf = (subject: string, issuer = "https://idp.example") =>
        membershipChecks.userOf({ issuer, subject });
      assert.equal(await userOf("1"), person.id);
      assert.equal(await userOf("2"), undefined);
      assert.equal(await userOf("1", "https://other.example"), undefined);
      assert.equal((await people.list()).length, 1);
    },
  },
  {
    name: "claims each due user once, the oldest check first",
    async run({ people, membershipChecks }) {
      const oldest = newArrival({ subject: "2" }, { at: new Date(at.getTime() - 1), sealedGrant });
      const first = await people.arrive(oldest);
      const second = await people.arrive(newArrival({ subject: "1" }));
      await people.arrive(newArrival({ subject: "3" }, { at: checkedAt }));
      const { person } = await people.arrive(newArrival({ subject: "4" }));
      await people.setState(person.id, { state: "blocked" }, by);
      assert.deepEqual(await membershipChecks.claim(claimOf(1)), [
        {
          userId: first.person.id,
          issuer: "https://idp.example",
          subject: "2",
          sealedGrant,
          roleSource: "group",
          validatedAt: first.person.validatedAt,
        },
      ]);
      const claims = await Promise.all([1, 2].map(() => membershipChecks.claim(claimOf())));
      assert.deepEqual(
        claims.flat().map(({ userId }) => userId),
        [second.person.id],
      );
      assert.equal(claims.flat()[0]?.sealedGrant, undefined);
    },
  },
  {
    name: "claims only given users, and again when a claim has ended",
    async run({ people, membershipChecks }) {
      const { person } = await people.arrive(newArrival());
      await people.arrive(newArrival({ subject: "2" }));
      const ids = async (due: Parameters<typeof membershipChecks.claim>[0]) =>
        (await membershipChecks.claim(due)).map(({ userId }) => userId);
      assert.deepEqual(await ids({ ...ended, userIds: [person.id] }), [person.id]);
      assert.deepEqual(await ids({ ...claimOf(), userIds: [person.id] }), [person.id]);
      assert.deepEqual(await ids({ ...claimOf(), userIds: [person.id] }), []);
      assert.deepEqual(await ids({ ...claimOf(), userIds: [] }), []);
    },
  },
  {
    name: "a confirmed member is not due, and follows its groups",
    async run(ports) {
      const { people, membershipChecks } = ports;
      const { person } = await people.arrive(newArrival({ role: "publisher" }, { sealedGrant }));
      const check = { ...member, role: "consumer" } as const;
      await recordOf(ports, { check, at: checkedAt });
      const after = await people.find(person.id);
      assert.deepEqual(after, { ...person, role: "consumer", validatedAt: checkedAt });
      assert.deepEqual(await membershipChecks.claim(claimOf()), []);
      const next = { ...claimOf(), before: new Date("2026-03-02T00:00:00Z") };
      assert.deepEqual((await membershipChecks.claim(next))[0]?.sealedGrant, sealedGrant);
    },
  },
  {
    name: "stores the new grant of a member",
    async run(ports) {
      await ports.people.arrive(newArrival({}, { sealedGrant }));
      const fresh = new Uint8Array([4, 5]);
      await recordOf(ports, { check: member, sealedGrant: fresh, at });
      assert.deepEqual((await ports.membershipChecks.claim(claimOf()))[0]?.sealedGrant, fresh);
    },
  },
  {
    name: "suspends who is gone, and drops the grant",
    async run(ports) {
      const { people, membershipChecks } = ports;
      const { person } = await people.arrive(newArrival({}, { sealedGrant }));
      await recordOf(ports, { check: { outcome: "gone", reason: "She left." }, at });
      const after = await people.find(person.id);
      assert.deepEqual(after, { ...person, state: "suspended", reason: "She left.", epoch: 1 });
      assert.deepEqual(await membershipChecks.claim(claimOf()), []);
      await people.setState(person.id, { state: "active" }, by);
      assert.equal((await membershipChecks.claim(claimOf()))[0]?.sealedGrant, undefined);
    },
  },
  {
    name: "who is unknown stays as before, and due when the claim has ended",
    async run(ports) {
      const { people, membershipChecks } = ports;
      const { person } = await people.arrive(newArrival({}, { sealedGrant }));
      const check = { outcome: "unknown", reason: "No answer." } as const;
      await recordOf(ports, { check, at: checkedAt });
      assert.deepEqual(await people.find(person.id), person);
      const [due] = await membershipChecks.claim(claimOf());
      assert.deepEqual(due?.validatedAt, at);
      assert.deepEqual(due.sealedGrant, sealedGrant);
    },
  },
  {
    name: "reports when the last active administrator is suspended or loses the role",
    async run(ports) {
      const { people } = ports;
      const arriving = (subject: string) => newArrival({ subject, role: "administrator" });
      for (const subject of ["1", "2", "3"]) await people.arrive(arriving(subject));
      const gone = { outcome: "gone", reason: "Left." } as const;
      const demoted = { ...member, role: "publisher" } as const;
      assert.equal(await recordOf(ports, { check: gone, at: checkedAt }), false);
      assert.equal(await recordOf(ports, { check: demoted, at: checkedAt }), false);
      assert.equal(await recordOf(ports, { check: demoted, at: checkedAt }), true);
    },
  },
  {
    name: "ignores the outcome of a check when the user has signed in meanwhile",
    async run({ people, membershipChecks }) {
      const { person } = await people.arrive(newArrival({}, { sealedGrant }));
      const [due] = await membershipChecks.claim(claimOf());
      assert.ok(due);
      await people.arrive(newArrival({}, { sealedGrant: new Uint8Array([9]) }));
      const gone = { outcome: "gone", reason: "An old grant." } as const;
      await membershipChecks.record(due, { check: gone, at: checkedAt });
      assert.equal((await people.find(person.id))?.state, "active");
      const [fresh] = await membershipChecks.claim(claimOf());
      assert.deepEqual(fresh?.sealedGrant, new Uint8Array([9]));
    },
  },
  {
    name: "a block stays when the provider says that the user is gone",
    async run(ports) {
      const { people, membershipChecks } = ports;
      const { person } = await people.arrive(newArrival());
      const [due] = await membershipChecks.claim(claimOf());
      assert.ok(due);
      await people.setState(person.id, { state: "blocked", reason: "By hand." }, by);
      await membershipChecks.record(due, { check: { outcome: "gone", reason: "Left." }, at });
      const { state, reason } = (await people.find(person.id)) ?? {};
      assert.deepEqual([state, reason], ["blocked", "By hand."]);
    },
  },
];

/** Claims the one due user until a time that has passed, and records an outcome. */
async function recordOf(
  { membershipChecks }: PeoplePorts,
  result: Parameters<PeoplePorts["membershipChecks"]["record"]>[1],
): Promise<boolean> {
  const [due] = await membershipChecks.claim(ended);
  assert.ok(due);
  return membershipChecks.record(due, result);
}
