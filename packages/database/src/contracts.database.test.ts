import { apiPortsContract } from "@sealhouse/administration/testing";
import type { EventType } from "@sealhouse/events";
import { EVENT_SCHEMAS, eventProblems } from "@sealhouse/events/schemas";
import { auditLogContract, outboxContract, parkedContract } from "@sealhouse/events/testing";
import { documentStoreContract } from "@sealhouse/http-responses/testing";
import {
  confirmationsContract,
  loginSessionsContract,
  ownershipContract,
  passkeysContract,
  peopleContract,
  refreshTokensContract,
  signInFailuresContract,
  tokenStoreContract,
} from "@sealhouse/identity/testing";
import { npmPortsContract, npmTeamsContract } from "@sealhouse/npm-protocol/testing";
import { nugetPortsContract } from "@sealhouse/nuget-protocol/testing";
import {
  contractImmutableTags,
  ociPortsContract,
  ociTagsContract,
} from "@sealhouse/oci-distribution/testing";
import { releasePortsContract } from "@sealhouse/promotion/testing";
import { mirrorPortsContract } from "@sealhouse/upstream-sources/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "./database.ts";
import { npmTeamsOf } from "./testing/npm-teams.ts";
import { ownerRows } from "./testing/owner-rows.ts";
import { openTestParts } from "./testing/open-test-parts.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "./testing/index.ts";

/** Tests of the queues write events with other details. */
const MADE_UP = /^(?:outbox|audit log|parked events):/;
const seenTypes = new Set<EventType>();

type Case = { readonly name: string; readonly run: (database: Database) => Promise<void> };

const cases: readonly Case[] = [
  ...nugetPortsContract.map(({ name, run }) => ({
    name: `nuget: ${name}`,
    run: ({ nuget, documents }: Database) => run({ ...nuget, documents }),
  })),
  ...npmPortsContract.map(({ name, run }) => ({
    name: `npm: ${name}`,
    run: (database: Database) => {
      const { npm, documents } = database;
      return run({ ...npm, documents, register: database.blobRegister("npm") });
    },
  })),
  ...ociPortsContract.map(({ name, run }) => ({
    name: `oci: ${name}`,
    run: ({ oci }: Database) => run(oci),
  })),
  ...apiPortsContract.map(({ name, run }) => ({
    name: `administration: ${name}`,
    run: ({ administration }: Database) => run(administration),
  })),
  ...tokenStoreContract.map(({ name, run }) => ({
    name: `tokens: ${name}`,
    run: ({ tokens }: Database) => run(tokens),
  })),
  ...refreshTokensContract.map(({ name, run }) => ({
    name: `refresh tokens: ${name}`,
    run: ({ refreshTokens }: Database) => run(refreshTokens),
  })),
  ...peopleContract.map(({ name, run }) => ({
    name: `people: ${name}`,
    run: (database: Database) => run(database),
  })),
  ...loginSessionsContract.map(({ name, run }) => ({
    name: `login sessions: ${name}`,
    run: ({ loginSessions }: Database) => run(loginSessions),
  })),
  ...passkeysContract.map(({ name, run }) => ({
    name: `passkeys: ${name}`,
    run: ({ passkeys }: Database) => run(passkeys),
  })),
  ...confirmationsContract.map(({ name, run }) => ({
    name: `confirmations: ${name}`,
    run: ({ sessions }: Database) => run(sessions.confirmations),
  })),
  ...signInFailuresContract.map(({ name, run }) => ({
    name: `sign-in failures: ${name}`,
    run: ({ signInFailures }: Database) => run(signInFailures),
  })),
  ...outboxContract.map(({ name, run }) => ({
    name: `outbox: ${name}`,
    run: ({ events }: Database) =>
      run({ outbox: events.outbox, record: (written) => events.record(written) }),
  })),
  ...auditLogContract.map(({ name, run }) => ({
    name: `audit log: ${name}`,
    run: ({ events }: Database) => run(events.audit),
  })),
  ...parkedContract.map(({ name, run }) => ({
    name: `parked events: ${name}`,
    run: ({ events }: Database) => run(events.parked),
  })),
  ...mirrorPortsContract.map(({ name, run }) => ({
    name: `mirror: ${name}`,
    run: ({ upstream }: Database) => run(upstream),
  })),
  ...releasePortsContract.map(({ name, run }) => ({
    name: `releases: ${name}`,
    run: ({ promotion }: Database) => run(promotion),
  })),
];

describe.each(testableDatabases())("%s", (type) => {
  test.each(ownershipContract)("ownership: $name", async ({ run }) => {
    await using parts = await openTestParts(type);
    const { changes, database } = parts;
    await run({ ...database.ownership, ...ownerRows(changes) });
    const events = await database.events.outbox.pending("schemas", 10_000);
    expect(events.flatMap(eventProblems)).toEqual([]);
    for (const event of events) seenTypes.add(event.type);
  });
});

describe.each(testableDatabases())("%s", (type) => {
  test.each(npmTeamsContract)("npm teams: $name", async ({ run }) => {
    await using parts = await openTestParts(type);
    await run(npmTeamsOf(parts));
  });
});

describe.each(testableDatabases())("%s", (type) => {
  test.each(cases)("$name", async ({ name, run }) => {
    await using database = await openTestDatabase({ type });
    await run(database);
    if (MADE_UP.test(name)) return;
    const events = await database.events.outbox.pending("schemas", 10_000);
    expect(events.flatMap(eventProblems)).toEqual([]);
    for (const event of events) seenTypes.add(event.type);
  });
});

/** Types that other tests write, where their parts are. */
const ELSEWHERE: readonly EventType[] = [
  "access.refused",
  "access.would-refuse",
  "certificate.created",
  "certificate.retired",
  "gc.completed",
  "group.changed",
  "group.promoted",
  "hold.changed",
  "package.erased",
  "package.signed",
  "package.unsigned",
  "pipeline.changed",
  "policy.admitted",
  "promotion.failed",
  "retention.completed",
  "settings.changed",
  "syndication.changed",
  "syndication.failed",
  "target.changed",
  "token.expires",
  "user.signed-out",
  "webhook.changed",
];

test("the contracts write an event of each type, and each fits its schema", () => {
  const types = Object.entries(EVENT_SCHEMAS)
    .filter(([, { isReserved }]) => !isReserved)
    .map(([type]) => type);
  expect(new Set([...seenTypes, ...ELSEWHERE])).toEqual(new Set(types));
});

describe.each(testableDatabases())("%s", (type) => {
  test.each(ociTagsContract)("oci tags: $name", async ({ run }) => {
    await using database = await openTestDatabase({ type, immutableTags: contractImmutableTags });
    await run(database.oci);
  });
});

describe.each(testableDatabases())("%s", (type) => {
  describe.each(["documents", "viewDocuments"] as const)("%s", (name) => {
    test.each(documentStoreContract)("$name", async ({ run }) => {
      await using parts = await openTestParts(type);
      const { changes } = parts;
      const change = (group: string) =>
        changes.transaction(async (unit) => void (await changes.stale(unit, group)));
      await run({ store: parts.database[name], change });
    });
  });
});

afterAll(leaveTestServers);
