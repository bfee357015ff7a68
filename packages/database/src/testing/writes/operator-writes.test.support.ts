import { randomUUID } from "node:crypto";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import type { Level, OwnableName } from "@sealhouse/identity";
import type { Database } from "../../database.ts";
import { user } from "./people-writes.test.support.ts";
import { OPERATOR, plainWrite, write, WRITTEN_AT } from "./write.test.support.ts";
import type { Write } from "./write.test.support.ts";

const LATER = new Date("2126-06-01T00:00:00.000Z");
const REQUEST = { targets: [], lane: "w" } as const;

/** A published name with an owner who manages it. */
async function owned(database: Database, name: string, handle: string) {
  await database.npm.recorder.publish(newNpmVersion({ name }), OPERATOR);
  const id = await user(handle)(database);
  const ownable: OwnableName = { protocol: "npm", name };
  const manager = { id, kind: "user", level: "manage" } as const;
  await database.ownership.ownerships.grant(ownable, manager, OPERATOR);
  return { ownable, managerId: id };
}

/** A name with two owners. */
async function shared(database: Database, name: string) {
  const { ownable, managerId } = await owned(database, name, `${name}-a`);
  const other = { id: await user(`${name}-b`)(database), kind: "user", level: "publish" } as const;
  await database.ownership.ownerships.grant(ownable, other, OPERATOR);
  return { ownable, managerId, otherId: other.id };
}

/** An open offer of a right on a name. */
async function offered(database: Database, name: string) {
  const { ownable, managerId } = await owned(database, name, `${name}-a`);
  const toId = await user(`${name}-b`)(database);
  const parts = { name: ownable, level: "manage" as Level, expiresAt: LATER };
  const transfer = { id: randomUUID(), fromId: managerId, toId, ...parts };
  await database.ownership.transfers.offer(transfer, { ...OPERATOR, holderId: managerId });
  return transfer.id;
}

async function reserved(database: Database, pattern: string) {
  const owner = { id: await user(`owner-of-${pattern.slice(1, -1)}`)(database), kind: "user" };
  const parts = { protocol: "npm", pattern, isPrefix: true, isShared: false } as const;
  const reservation = { ...parts, owner: { id: owner.id, kind: "user" as const } };
  await database.ownership.reservations.add(reservation, OPERATOR);
  const all = await database.ownership.reservations.list();
  return all.find((found) => found.pattern === pattern)?.id ?? 0;
}

async function open({ promotion }: Database, id: string) {
  const release = { id, key: `key-${id}`, group: id, kind: "promotion", ...REQUEST } as const;
  await promotion.releases.open(release, OPERATOR);
  return id;
}

export const NAME_WRITES: readonly Write[] = [
  write({
    name: "gives a right on a name",
    event: "package.owners-changed",
    outcome: "granted",
    again: "unchanged",
    async prepare(database) {
      const { ownable } = await owned(database, "w-granted", "w-granted-a");
      return { ownable, id: await user("w-granted-b")(database) };
    },
    run: ({ ownership }, caller, { ownable, id }) =>
      ownership.ownerships.grant(ownable, { id, kind: "user", level: "publish" }, caller),
  }),
  write({
    name: "takes a right on a name",
    event: "package.owners-changed",
    outcome: "revoked",
    again: "absent",
    prepare: (database) => shared(database, "w-taken"),
    run: ({ ownership }, caller, { ownable, otherId }) =>
      ownership.ownerships.revoke(ownable, otherId, caller),
  }),
  write({
    name: "reserves names",
    event: "reservation.changed",
    outcome: "added",
    again: "present",
    prepare: user("w-reserving"),
    run: ({ ownership }, caller, id) => {
      const parts = { protocol: "npm", pattern: "@w-reserved/", isPrefix: true } as const;
      const owner = { id, kind: "user" } as const;
      return ownership.reservations.add({ ...parts, isShared: false, owner }, caller);
    },
  }),
  write({
    name: "ends a reservation",
    event: "reservation.changed",
    outcome: [{ pattern: "@w-free/" }],
    again: [],
    prepare: (database) => reserved(database, "@w-free/"),
    run: ({ ownership }, caller, id) => ownership.reservations.remove(id, caller),
  }),
  write({
    name: "offers a name",
    event: "transfer.changed",
    outcome: "offered",
    again: "present",
    async prepare(database) {
      const { ownable, managerId } = await owned(database, "w-offered", "w-offered-a");
      const toId = await user("w-offered-b")(database);
      const parts = { name: ownable, level: "manage" as Level, expiresAt: LATER };
      return { id: randomUUID(), fromId: managerId, toId, ...parts };
    },
    run: ({ ownership }, caller, transfer) => ownership.transfers.offer(transfer, caller),
  }),
  write({
    name: "accepts a name",
    event: "transfer.changed",
    outcome: "done",
    again: "ended",
    prepare: (database) => offered(database, "w-accepted"),
    run: ({ ownership }, caller, id) => ownership.transfers.accept(id, caller),
  }),
  write({
    name: "declines a name",
    event: "transfer.changed",
    outcome: "done",
    again: "ended",
    prepare: (database) => offered(database, "w-declined"),
    run: ({ ownership }, caller, id) => ownership.transfers.decline(id, "declined", caller),
  }),
  write({
    name: "hides a name",
    event: "package.access-changed",
    outcome: "set",
    again: "unchanged",
    prepare: (database) =>
      database.npm.recorder.publish(newNpmVersion({ name: "w-hidden" }), OPERATOR),
    run: ({ visibilities }, caller) =>
      visibilities.set("npm", "w-hidden", { visibility: "private", by: caller }),
  }),
];

export const OPERATOR_WRITES: readonly Write[] = [
  plainWrite({
    name: "adds a package source",
    event: "source.changed",
    run: ({ upstream: { sources } }, caller) => sources.put(sourceOf("w-source"), caller),
  }),
  write({
    name: "removes a package source",
    event: "source.changed",
    outcome: "removed",
    again: "absent",
    prepare: ({ upstream: { sources } }) => sources.put(sourceOf("w-gone"), OPERATOR),
    run: ({ upstream: { sources } }, caller) => sources.remove("W-Gone", caller),
  }),
  plainWrite({
    name: "keeps a name for publishes here",
    event: "name.reserved",
    outcome: { status: "reserved" },
    again: { status: "repeated" },
    run: ({ upstream: { origins } }, caller) => origins.reserve("npm", "@w-kept/*", caller),
  }),
  write({
    name: "releases a name that was kept",
    event: "name.released",
    outcome: { status: "ended" },
    again: { status: "absent" },
    prepare: ({ upstream: { origins } }) => origins.reserve("npm", "@w-open/*", OPERATOR),
    run: ({ upstream: { origins } }, caller) => origins.release("npm", "@w-open/*", caller),
  }),
  plainWrite({
    name: "adds a rule about versions",
    event: "policy.changed",
    run: ({ upstream: { rules } }, caller) => rules.add(ruleOf(randomUUID()), caller),
  }),
  write({
    name: "removes a rule about versions",
    event: "policy.changed",
    outcome: "removed",
    again: "absent",
    async prepare({ upstream: { rules } }) {
      const id = randomUUID();
      await rules.add(ruleOf(id), OPERATOR);
      return id;
    },
    run: ({ upstream: { rules } }, caller, id) => rules.remove(id, caller),
  }),
  plainWrite({
    name: "adds a webhook",
    event: "webhook.changed",
    run: ({ events }, caller) =>
      events.webhooks.put(webhookOf("w-added"), { caller, what: "added" }),
  }),
  write({
    name: "removes a webhook",
    event: "webhook.changed",
    outcome: "removed",
    again: "absent",
    prepare: ({ events }) =>
      events.webhooks.put(webhookOf("w-removed"), { caller: OPERATOR, what: "added" }),
    run: ({ events }, caller) => events.webhooks.remove("w-removed", caller),
  }),
  plainWrite({
    name: "adds a target",
    event: "target.changed",
    run: ({ promotion: { targets } }, caller) => targets.put(targetOf("w-added"), caller),
  }),
  write({
    name: "pauses a target",
    event: "target.changed",
    outcome: true,
    again: false,
    prepare: ({ promotion: { targets } }) => targets.put(targetOf("w-paused"), OPERATOR),
    run: ({ promotion: { targets } }, caller) => targets.pause("W-Paused", "broken", caller),
  }),
  write({
    name: "removes a target",
    event: "target.changed",
    outcome: "removed",
    again: "absent",
    prepare: ({ promotion: { targets } }) => targets.put(targetOf("w-removed"), OPERATOR),
    run: ({ promotion: { targets } }, caller) => targets.remove("W-Removed", caller),
  }),
  plainWrite({
    name: "adds a group",
    event: "group.changed",
    run: ({ promotion: { groups } }, caller) =>
      groups.put({ name: "w-added", members: [], targets: [] }, caller),
  }),
  write({
    name: "removes a group",
    event: "group.changed",
    outcome: "removed",
    again: "absent",
    prepare: ({ promotion: { groups } }) =>
      groups.put({ name: "w-removed", members: [], targets: [] }, OPERATOR),
    run: ({ promotion: { groups } }, caller) => groups.remove("W-Removed", caller),
  }),
  plainWrite({
    name: "adds a syndication",
    event: "syndication.changed",
    run: ({ promotion: { syndications } }, caller) =>
      syndications.put(syndicationOf("w-added"), caller),
  }),
  write({
    name: "removes a syndication",
    event: "syndication.changed",
    outcome: "removed",
    again: "absent",
    prepare: ({ promotion: { syndications } }) =>
      syndications.put(syndicationOf("w-removed"), OPERATOR),
    run: ({ promotion: { syndications } }, caller) => syndications.remove("W-Removed", caller),
  }),
  write({
    name: "continues a release",
    event: "release.changed",
    outcome: "running",
    prepare: (database) => open(database, "w-resumed"),
    run: ({ promotion: { control } }, caller, id) => control.resume(id, caller),
  }),
  write({
    name: "cancels a release",
    event: "release.changed",
    outcome: "cancelled",
    prepare: (database) => open(database, "w-cancelled"),
    run: ({ promotion: { control } }, caller, id) => control.cancel(id, "wrong", caller),
  }),
];

function sourceOf(name: string) {
  const parts = { protocol: "npm", url: "https://npm.example/", type: "npm", priority: 1 };
  const rest = { strategy: "mirror", signaturePolicy: "any", isEnabled: true, settings: "{}" };
  return { name, ...parts, ...rest };
}

function ruleOf(id: string) {
  const parts = { protocol: "npm", effect: "deny", pattern: "left-pad", versions: "" } as const;
  const maker = { createdBy: "operator", createdAt: WRITTEN_AT };
  return { id, ...parts, conditions: {}, reason: "broken", ...maker };
}

function webhookOf(id: string) {
  const flags = { isEnabled: true, includesPrivate: false, allowsPrivateNetwork: false };
  const parts = {
    url: "https://hooks.example/",
    format: "CloudEvents",
    origin: "database",
  } as const;
  return { id, events: [], ...parts, ...flags, createdAt: WRITTEN_AT };
}

function targetOf(name: string) {
  return { name, protocol: "npm", endpoint: "https://npm.example/", options: "{}" };
}

function syndicationOf(name: string) {
  const from = { type: "pattern", protocol: "npm", pattern: "@w/*" } as const;
  return { name, from, target: "elsewhere", isEnabled: true, filter: { prerelease: false } };
}
