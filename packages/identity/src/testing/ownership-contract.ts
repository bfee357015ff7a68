import type { Caller } from "@sealhouse/request-types";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { OWNERS_OF_NAME_MAX } from "../ownership/owner-limits.ts";
import type { Level } from "../ownership/name-standing.ts";
import type {
  NewTransfer,
  OwnableName,
  Owner,
  Ownerships,
  Reservations,
  Transfers,
} from "../ownership/ports.ts";
import type { Role } from "../people/person.ts";
import { parseReservedPattern } from "../ownership/reserved-pattern.ts";
import type { TeamLevel } from "../people/teams.ts";

/** Ports of ownership, and what they need to know about users and teams. */
export type OwnershipParts = {
  readonly ownerships: Ownerships;
  readonly reservations: Reservations;
  readonly transfers: Transfers;
  /** A user is a publisher without `role`. */
  readonly addOwner: (owner: Owner, role?: Role) => Promise<void>;
  readonly addMember: (teamId: string, userId: string, level: TeamLevel) => Promise<void>;
  readonly addAccount: (accountId: string, teamId?: string) => Promise<void>;
};

export type OwnershipTest = {
  readonly name: string;
  readonly run: (parts: OwnershipParts) => Promise<void>;
};

const by: Caller = { actor: "contract", address: "192.0.2.7", requestId: "r-1" };
const NAME: OwnableName = { protocol: "npm", name: "@acme/widgets" };
const IN_FUTURE = new Date("2999-01-01T00:00:00Z");
const IN_PAST = new Date("2001-01-01T00:00:00Z");

/** Contract tests of ownership for any test runner; each starts without owners. */
export const ownershipContract: readonly OwnershipTest[] = [
  {
    name: "lists the owners of a name by handle and finds them in any letter case",
    async run(parts) {
      const [bob, alice] = [await userNamed(parts, "bob"), await userNamed(parts, "alice")];
      assert.equal(await grant(parts, bob, "publish"), "granted");
      assert.equal(await grant(parts, alice, "manage"), "granted");
      assert.deepEqual(await parts.ownerships.list(NAME), [
        { ...alice, level: "manage" },
        { ...bob, level: "publish" },
      ]);
      assert.deepEqual(await parts.ownerships.names(bob.id), [{ ...NAME, level: "publish" }]);
      assert.deepEqual(await parts.ownerships.find("Alice"), alice);
      assert.equal(await parts.ownerships.find("carol"), undefined);
    },
  },
  {
    name: "keeps the last owner with the level manage",
    async run(parts) {
      const [alice, bob] = [await userNamed(parts, "alice"), await userNamed(parts, "bob")];
      await grant(parts, alice, "manage");
      await grant(parts, bob, "publish");
      const { ownerships } = parts;
      assert.equal(await ownerships.revoke(NAME, alice.id, by), "last");
      assert.equal(await grant(parts, alice, "publish"), "last");
      assert.equal(await grant(parts, alice, "manage"), "unchanged");
      assert.equal(await grant(parts, bob, "manage"), "granted");
      assert.equal(await ownerships.revoke(NAME, alice.id, by), "revoked");
      assert.equal(await ownerships.revoke(NAME, alice.id, by), "absent");
      assert.deepEqual(await ownerships.list(NAME), [{ ...bob, level: "manage" }]);
    },
  },
  {
    name: "gives a name no more owners than it may have, at the same time too",
    async run(parts) {
      const users: Owner[] = [];
      for (let n = 1; n <= OWNERS_OF_NAME_MAX + 3; n += 1) {
        users.push(await userNamed(parts, `user-${String(n).padStart(3, "0")}`));
      }
      const [first, second, ...others] = users.slice(0, OWNERS_OF_NAME_MAX - 2);
      const late = users.slice(OWNERS_OF_NAME_MAX - 2);
      assert.ok(first && second);
      await grant(parts, first, "manage");
      for (const user of [second, ...others]) await grant(parts, user, "read");
      const outcomes = await Promise.all(late.map((user) => grant(parts, user, "publish")));
      assert.deepEqual(outcomes.toSorted(), ["full", "full", "full", "granted", "granted"]);
      const { ownerships, transfers } = parts;
      assert.equal((await ownerships.list(NAME)).length, OWNERS_OF_NAME_MAX);
      assert.equal(await grant(parts, second, "manage"), "granted");
      const refused = late[outcomes.indexOf("full")];
      assert.ok(refused);
      const offered = transfer({ toId: refused.id });
      await transfers.offer(offered, by);
      assert.equal(await transfers.accept(offered.id, by), "full");
      assert.equal(await ownerships.revoke(NAME, second.id, by), "revoked");
      assert.equal(await transfers.accept(offered.id, by), "done");
    },
  },
  {
    name: "limits a member of a team to its own level, and a service account to publishing",
    async run(parts) {
      const team: Owner = { id: randomUUID(), kind: "team", handle: "builders" };
      await parts.addOwner(team);
      const [member, manager] = [await userNamed(parts, "alice"), await userNamed(parts, "bob")];
      await parts.addMember(team.id, member.id, "member");
      await parts.addMember(team.id, manager.id, "manager");
      const [account, lonely] = [randomUUID(), randomUUID()];
      await parts.addAccount(account, team.id);
      await parts.addAccount(lonely);
      const all = () => levels(parts, manager.id, member.id, account, lonely);
      await grant(parts, await userNamed(parts, "carol"), "manage");
      for (const [level, most] of [
        ["read", "read"],
        ["publish", "publish"],
        ["manage", "publish"],
      ] as const) {
        await grant(parts, team, level);
        assert.deepEqual(await all(), [level, most, most, undefined]);
      }
      await grant(parts, member, "manage");
      assert.deepEqual(await all(), ["manage", "manage", "publish", undefined]);
      const standing = await parts.ownerships.standing(NAME, lonely);
      const { isOwned, exists, owners, mayCreate } = standing;
      assert.deepEqual(
        { isOwned, exists, owners, mayCreate },
        { isOwned: true, exists: false, owners: ["alice", "builders", "carol"], mayCreate: false },
      );
    },
  },
  ...(
    [
      ["nuget", ["Acme.*"], "acme.x", "own"],
      ["nuget", ["Acme.*"], "acmex", "none"],
      ["nuget", ["Acme.*"], "acme", "none"],
      ["npm", ["@acme/*"], "@acme/widgets", "own"],
      ["npm", ["@acme/*"], "@acme2/widgets", "none"],
      ["oci", ["a/b/**"], "a/b/c/d", "own"],
      ["oci", ["a/b/**"], "a/bc", "none"],
      ["oci", ["a/b"], "a/b/c", "none"],
      ["nuget", ["Acme.*", "others:Acme.Web.*"], "acme.web.forms", "others"],
      ["nuget", ["others:Acme.*", "Acme.Web.*"], "acme.web.forms", "own"],
      ["nuget", ["others:Acme.Web.*", "Acme.Web.Forms"], "acme.web.forms", "own"],
      ["nuget", ["Acme.Web.*", "others:Acme.Web.Forms"], "acme.web.forms", "others"],
      ["nuget", ["shared:Acme.*"], "acme.x", "shared"],
      ["npm", ["others:@acme/*", "@acme/*"], "@acme/x", "own"],
    ] as const
  ).map(([protocol, reserved, name, expected]): OwnershipTest => ({
    name: `${reserved.join(" and ")} of ${protocol} make ${name} reserved: ${expected}`,
    async run(parts) {
      const me = await userNamed(parts, "alice");
      const others = await userNamed(parts, "bob");
      for (const text of reserved) {
        const [pattern = "", whose] = text.split(":").toReversed();
        const reservation = {
          ...parseReservedPattern(protocol, pattern),
          owner: whose === undefined ? me : others,
          isShared: whose === "shared",
        };
        assert.equal(await parts.reservations.add(reservation, by), "added");
        assert.equal(await parts.reservations.add(reservation, by), "present");
      }
      const { reservation } = await parts.ownerships.standing({ protocol, name }, me.id);
      assert.equal(reservation, expected);
    },
  })),
  {
    name: "lists reservations, with the one that passed them on, and removes them",
    async run({ reservations, ...parts }) {
      const [alice, bob] = [await userNamed(parts, "alice"), await userNamed(parts, "bob")];
      const prefix = { ...parseReservedPattern("npm", "@acme/*"), isShared: false } as const;
      await reservations.add({ ...prefix, owner: alice }, by);
      await reservations.add({ ...prefix, owner: bob, delegatedFrom: alice.id }, by);
      const list = await reservations.list();
      assert.deepEqual(
        list.map(({ pattern, owner, delegatedFrom }) => [pattern, owner.handle, delegatedFrom]),
        [
          ["@acme/", "alice", undefined],
          ["@acme/", "bob", alice.id],
        ],
      );
      const id = list[1]?.id ?? 0;
      assert.equal((await reservations.remove(id, by)).length, 1);
      assert.equal((await reservations.remove(id, by)).length, 0);
      assert.equal((await reservations.list()).length, 1);
    },
  },
  {
    name: "passes on a part of a reservation, until the reservation is removed",
    async run({ reservations, ...parts }) {
      const alice = await userNamed(parts, "alice");
      const bob = await userNamed(parts, "bob");
      const carl = await userNamed(parts, "carl");
      const add = (text: string, owner: Owner, from?: Owner) =>
        reservations.add(
          {
            ...parseReservedPattern("npm", text),
            owner,
            isShared: false,
            ...(from && { delegatedFrom: from.id }),
          },
          by,
        );
      assert.equal(await add("@acme/web-*", bob, alice), "outside");
      assert.equal(await add("@acme/*", alice), "added");
      assert.equal(await add("@acme/web-*", bob, alice), "added");
      assert.equal(await add("@acme/web-ui", carl, bob), "added");
      assert.equal(await add("@acme/api", carl, bob), "outside");
      assert.equal(await add("@other/web", bob, alice), "outside");
      assert.equal(await add("@acme/own-*", alice, alice), "outside");
      assert.equal(await add("@acme/more-*", carl), "added");
      const patterns = async () => (await reservations.list()).map(({ pattern }) => pattern);
      const wide = (await reservations.list()).find(({ pattern }) => pattern === "@acme/");
      const removed = await reservations.remove(wide?.id ?? 0, by);
      assert.deepEqual(
        removed.map(({ protocol, pattern, isPrefix, handle }) => [
          protocol,
          pattern,
          isPrefix,
          handle,
        ]),
        [
          ["npm", "@acme/", true, "alice"],
          ["npm", "@acme/web-", true, "bob"],
          ["npm", "@acme/web-ui", false, "carl"],
        ],
      );
      assert.deepEqual(await patterns(), ["@acme/more-"]);
    },
  },
  {
    name: "moves a right when the other side accepts the transfer",
    async run(parts) {
      const [alice, bob] = [await userNamed(parts, "alice"), await userNamed(parts, "bob")];
      await grant(parts, alice, "manage");
      const offered = transfer({ fromId: alice.id, toId: bob.id });
      assert.equal(await parts.transfers.offer(offered, by), "offered");
      assert.equal(await parts.transfers.offer({ ...offered, id: randomUUID() }, by), "present");
      const [listed] = await parts.transfers.list();
      assert.deepEqual([listed?.id, listed?.to, listed?.level], [offered.id, bob, "manage"]);
      const others = { ...NAME, name: "@acme/others" };
      await parts.transfers.offer(transfer({ name: others, toId: alice.id }), by);
      assert.deepEqual(await parts.transfers.listOf(NAME), [listed]);
      assert.deepEqual(await parts.transfers.listTo([bob.id, randomUUID()]), [listed]);
      assert.equal((await parts.transfers.listTo([alice.id, bob.id])).length, 2);
      assert.deepEqual(await parts.transfers.listTo([]), []);
      assert.deepEqual(await levels(parts, alice.id, bob.id), ["manage", undefined]);
      assert.equal(await parts.transfers.accept(offered.id, by), "done");
      assert.equal(await parts.transfers.accept(offered.id, by), "ended");
      assert.deepEqual(await levels(parts, alice.id, bob.id), [undefined, "manage"]);
      assert.deepEqual(await parts.transfers.listOf(NAME), []);
      assert.equal((await parts.transfers.list()).length, 1);
    },
  },
  {
    name: "adds an owner without taking the right of another one",
    async run(parts) {
      const [alice, bob] = [await userNamed(parts, "alice"), await userNamed(parts, "bob")];
      await grant(parts, alice, "manage");
      const offered = transfer({ toId: bob.id, level: "publish" });
      await parts.transfers.offer(offered, by);
      assert.equal(await parts.transfers.accept(offered.id, by), "done");
      assert.deepEqual(await levels(parts, alice.id, bob.id), ["manage", "publish"]);
    },
  },
  {
    name: "changes nothing when a transfer is declined, expired, or its sender lost the right",
    async run(parts) {
      const [alice, bob] = [await userNamed(parts, "alice"), await userNamed(parts, "bob")];
      const carol = await userNamed(parts, "carol");
      await grant(parts, alice, "manage");
      await grant(parts, carol, "manage");
      const { transfers, ownerships } = parts;
      const declined = transfer({ fromId: alice.id, toId: bob.id });
      await transfers.offer(declined, by);
      assert.equal(await transfers.decline(declined.id, "declined", by), "done");
      assert.equal(await transfers.decline(declined.id, "withdrawn", by), "ended");
      assert.equal(await transfers.accept(declined.id, by), "ended");
      const expired = transfer({ fromId: alice.id, toId: bob.id, expiresAt: IN_PAST });
      await transfers.offer(expired, by);
      assert.equal(await transfers.accept(expired.id, by), "ended");
      assert.deepEqual(await transfers.list(), []);
      const late = transfer({ fromId: carol.id, toId: bob.id });
      await transfers.offer(late, by);
      await ownerships.revoke(NAME, carol.id, by);
      assert.equal(await transfers.accept(late.id, by), "ended");
      assert.equal(await transfers.accept(randomUUID(), by), "absent");
      assert.deepEqual(await ownerships.list(NAME), [{ ...alice, level: "manage" }]);
    },
  },
  {
    name: "ends a transfer whose maker no longer manages the name, except of administrators",
    async run(parts) {
      const [alice, bob] = [await userNamed(parts, "alice"), await userNamed(parts, "bob")];
      const [carol, root] = [
        await userNamed(parts, "carol"),
        await userNamed(parts, "root", "administrator"),
      ];
      await grant(parts, alice, "manage");
      await grant(parts, carol, "manage");
      const { transfers, ownerships } = parts;
      const accepted = async (maker: Owner, offered: NewTransfer, level: Level | undefined) => {
        await transfers.offer(offered, { ...by, holderId: maker.id });
        if (level) await grant(parts, maker, level);
        const outcome = await transfers.accept(offered.id, by);
        if (outcome === "ended") await transfers.decline(offered.id, "withdrawn", by);
        return outcome;
      };
      const ofAlice = transfer({ fromId: alice.id, toId: bob.id });
      assert.equal(await accepted(carol, transfer({ toId: bob.id }), "publish"), "ended");
      assert.equal(await accepted(carol, ofAlice, undefined), "ended");
      assert.deepEqual(await levels(parts, alice.id, bob.id), ["manage", undefined]);
      assert.equal(await accepted(carol, transfer({ toId: bob.id }), "manage"), "done");
      const dave = await userNamed(parts, "dave");
      const ofRoot = transfer({ toId: dave.id, level: "read" });
      assert.equal(await accepted(root, ofRoot, undefined), "done");
      const owners = (await ownerships.list(NAME)).map(({ handle, level }) => [handle, level]);
      assert.deepEqual(owners, [
        ["alice", "manage"],
        ["bob", "manage"],
        ["carol", "manage"],
        ["dave", "read"],
      ]);
    },
  },
];

async function userNamed(
  { addOwner }: Pick<OwnershipParts, "addOwner">,
  handle: string,
  role?: Role,
) {
  const owner: Owner = { id: randomUUID(), kind: "user", handle };
  await addOwner(owner, role);
  return owner;
}

function grant({ ownerships }: OwnershipParts, { id, kind }: Owner, level: Level) {
  return ownerships.grant(NAME, { id, kind, level }, by);
}

function levels({ ownerships }: OwnershipParts, ...holders: readonly string[]) {
  return Promise.all(holders.map(async (id) => (await ownerships.standing(NAME, id)).level));
}

function transfer(fields: Partial<NewTransfer> & Pick<NewTransfer, "toId">): NewTransfer {
  return { id: randomUUID(), name: NAME, level: "manage", expiresAt: IN_FUTURE, ...fields };
}
