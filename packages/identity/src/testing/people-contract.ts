import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { membershipCases } from "./membership-cases.ts";
import { ownerCases } from "./owner-cases.ts";
import type { PeopleTest } from "./test-people.ts";
import { newArrival, newPerson } from "./test-people.ts";

const by = { actor: "contract" };
const at = new Date("2026-03-01T10:20:30.456Z");
const later = new Date("2026-03-02T10:20:30.456Z");

const userCases: readonly PeopleTest[] = [
  {
    name: "adds the user of a new account and returns every field",
    async run({ people }) {
      const { person, isNew } = await people.arrive(newArrival({ email: "ada@corp.example" }));
      assert.equal(isNew, true);
      const { id, ...rest } = person;
      assert.deepEqual(rest, {
        handle: "ada",
        displayName: "Ada Lovelace",
        email: "ada@corp.example",
        role: "consumer",
        roleSource: "group",
        state: "active",
        epoch: 0,
        createdAt: at,
        validatedAt: at,
        lastSignInAt: at,
      });
      assert.deepEqual(await people.find(id), person);
      assert.deepEqual(await people.find("Ada"), person);
      assert.deepEqual(await people.list(), [person]);
      assert.equal(await people.find("x".repeat(200)), undefined);
    },
  },
  {
    name: "recognizes an account by its subject, whatever its login and email are",
    async run({ people, userDetails }) {
      const first = await people.arrive(newArrival({ email: "ada@corp.example" }));
      const renamed = newArrival({ shown: "ada-king", displayName: "Ada King" }, { at: later });
      const second = await people.arrive({ ...renamed, handle: "ada-king" });
      assert.equal(second.isNew, false);
      const { email: _, ...rest } = first.person;
      const times = { validatedAt: later, lastSignInAt: later };
      assert.deepEqual(second.person, { ...rest, displayName: "Ada King", ...times });
      const other = await people.arrive(
        newArrival({ subject: "other", email: "ada@corp.example" }, { at: later }),
      );
      assert.equal(other.isNew, true);
      assert.equal(other.person.handle, "ada-2");
      const { id: userId } = first.person;
      assert.deepEqual(await userDetails.accounts([userId, randomUUID()]), [
        { userId, issuer: "https://idp.example", shown: "ada-king" },
      ]);
      assert.deepEqual(await userDetails.accounts([]), []);
    },
  },
  {
    name: "gives each handle once, whether a user, a team or a service account has it",
    async run({ people, teams, serviceAccounts }) {
      assert.equal(await people.add(newPerson("ada"), at, by), "added");
      const team = { id: randomUUID(), displayName: "Ada", createdAt: at };
      assert.equal(await teams.add({ ...team, handle: "ada" }, by), "taken");
      assert.equal(await teams.add({ ...team, handle: "ada-2" }, by), "added");
      const account = { id: randomUUID(), state: "active", createdAt: at } as const;
      assert.equal(await serviceAccounts.add({ ...account, name: "ada-2" }, by), "taken");
      assert.equal(await serviceAccounts.add({ ...account, name: "ada-3" }, by), "added");
      assert.equal(await people.add(newPerson("ada-3"), at, by), "taken");
      assert.equal((await people.arrive(newArrival())).person.handle, "ada-4");
      const reserved = newArrival({ subject: "2" });
      assert.equal((await people.arrive({ ...reserved, handle: "admin" })).person.handle, "user");
    },
  },
  {
    name: "gives one handle to one of several who arrive at once",
    async run({ people }) {
      const arrivals = ["1", "2", "3"].map((subject) => people.arrive(newArrival({ subject })));
      const handles = (await Promise.all(arrivals)).map(({ person }) => person.handle);
      assert.deepEqual(handles.toSorted(), ["ada", "ada-2", "ada-3"]);
      const again = await Promise.all(
        [1, 2].map(() => people.arrive(newArrival({ subject: "4" }))),
      );
      assert.equal(again.filter(({ isNew }) => isNew).length, 1);
    },
  },
  {
    name: "follows the role of groups until an administrator sets it",
    async run({ people }) {
      const { person } = await people.arrive(newArrival({ role: "publisher" }));
      assert.equal(person.role, "publisher");
      const promoted = await people.arrive(newArrival({ role: "administrator" }));
      assert.equal(promoted.person.role, "administrator");
      await people.add(newPerson("root", "administrator"), at, by);
      assert.equal(await people.setRole(person.id, "consumer", by), "set");
      const after = await people.arrive(newArrival({ role: "administrator" }));
      assert.equal(after.person.role, "consumer");
      assert.equal(after.person.roleSource, "hand");
      assert.equal(await people.setRole(person.id, "group", by), "set");
      assert.equal(await people.setRole(person.id, "group", by), "unchanged");
      const { role, roleSource } = (await people.find(person.id)) ?? {};
      assert.deepEqual([role, roleSource], ["consumer", "group"]);
      const again = await people.arrive(newArrival({ role: "administrator" }));
      assert.deepEqual([again.person.role, again.person.roleSource], ["administrator", "group"]);
    },
  },
  {
    name: "a sign-in revives who is suspended, and nobody else",
    async run({ people }) {
      for (const state of ["suspended", "blocked", "pending"] as const) {
        const verified = { subject: state };
        const { person } = await people.arrive(newArrival(verified));
        await people.setState(person.id, { state, reason: "A reason." }, by);
        const { person: after } = await people.arrive(newArrival(verified));
        const revived = state === "suspended";
        assert.equal(after.state, revived ? "active" : state);
        assert.equal(after.reason, revived ? undefined : "A reason.");
        assert.equal(after.epoch, 1);
      }
      const waiting = await people.arrive(newArrival({ subject: "new" }, { state: "pending" }));
      assert.equal(waiting.person.state, "pending");
    },
  },
  {
    name: "reports the outcome of a role or a state that is set",
    async run({ people }) {
      await people.add(newPerson("root", "administrator"), at, by);
      const ada = newPerson("ada");
      await people.add(ada, at, by);
      assert.equal(await people.setRole(ada.id, "publisher", by), "set");
      assert.equal(await people.setRole(ada.id, "publisher", by), "unchanged");
      assert.equal(await people.setRole(randomUUID(), "publisher", by), "absent");
      const blocked = { state: "blocked", reason: "She left." } as const;
      assert.equal(await people.setState(ada.id, blocked, by), "set");
      assert.equal(await people.setState(ada.id, blocked, by), "unchanged");
      assert.equal(await people.setState(randomUUID(), blocked, by), "absent");
      const { state, reason, epoch, role } = (await people.find(ada.id)) ?? {};
      assert.deepEqual([state, reason, epoch, role], ["blocked", "She left.", 1, "publisher"]);
      assert.equal(await people.setState(ada.id, { state: "active" }, by), "set");
      assert.equal((await people.find(ada.id))?.reason, undefined);
    },
  },
  {
    name: "unblock neither approves a user nor revives who is gone",
    async run({ people, membershipChecks }) {
      const arrive = async (subject: string, state: "active" | "pending") =>
        (await people.arrive(newArrival({ subject }, { state }))).person.id;
      const stateAfter = async (id: string) => {
        assert.equal(
          await people.setState(id, { state: "blocked", reason: "By hand." }, by),
          "set",
        );
        assert.equal(await people.unblock(id, by), "set");
        assert.equal(await people.unblock(id, by), "unchanged");
        const { state, reason } = (await people.find(id)) ?? {};
        return { state, reason };
      };
      const gone = await arrive("gone", "active");
      const [due] = await membershipChecks.claim({ before: later, until: new Date(0), most: 1 });
      assert.ok(due);
      await membershipChecks.record(due, { check: { outcome: "gone", reason: "Left." }, at });
      const reason = "The user is no longer a member of the organization.";
      assert.deepEqual(await stateAfter(gone), { state: "suspended", reason });
      const waiting = await arrive("waiting", "pending");
      assert.deepEqual(await stateAfter(waiting), { state: "pending", reason: undefined });
      await people.setState(waiting, { state: "active" }, by);
      assert.deepEqual(await stateAfter(waiting), { state: "active", reason: undefined });
      await people.arrive(newArrival({ subject: "gone" }));
      assert.deepEqual(await stateAfter(gone), { state: "active", reason: undefined });
      assert.equal(await people.unblock(randomUUID(), by), "absent");
    },
  },
  {
    name: "keeps the last active administrator",
    async run({ people }) {
      const [one, two] = ["one", "two"].map((name) => newPerson(name, "administrator"));
      assert.ok(one && two);
      await people.add(one, at, by);
      await people.add(two, at, by);
      const outcomes = await Promise.all([
        people.setRole(one.id, "consumer", by),
        people.setState(two.id, { state: "blocked" }, by),
      ]);
      assert.deepEqual(outcomes.toSorted(), ["last", "set"]);
      const active = (await people.list()).filter(
        ({ role, state }) => role === "administrator" && state === "active",
      );
      assert.equal(active.length, 1);
    },
  },
  {
    name: "pages have all users, in order of their handles",
    async run({ people }) {
      for (const handle of ["c", "a-b", "a1", "b", "a"]) {
        await people.add(newPerson(handle), at, by);
      }
      const handles: string[] = [];
      for (let after: string | undefined; handles.length < 5;) {
        const page = await people.page({ after, limit: 2 });
        if (page.length === 0) break;
        handles.push(...page.map(({ handle }) => handle));
        after = handles.at(-1);
      }
      assert.deepEqual(
        handles,
        (await people.list()).map(({ handle }) => handle),
      );
    },
  },
];

/** Contract tests of users, teams and service accounts; each starts with an empty store. */
export const peopleContract: readonly PeopleTest[] = [
  ...userCases,
  ...membershipCases,
  ...ownerCases,
];
