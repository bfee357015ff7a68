import { eventProblems } from "@sealhouse/events/schemas";
import { policiesContract, publishPolicy, tokenRecord } from "@sealhouse/identity/testing";
import type { Caller } from "@sealhouse/request-types";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { openDatabase } from "../open-database.ts";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";
import { openMigratedPlace } from "../testing/open-test-database.ts";

const by = { actor: "operator" };

describe.each(testableDatabases())("%s", (type) => {
  test.each(policiesContract)("policies: $name", async ({ run }) => {
    await using place = await openMigratedPlace(type);
    await using database = await openDatabase(place.config);
    await using other = await openDatabase(place.config);
    await run({
      policies: database.policies,
      others: other.policies,
      findToken: (id) => database.tokens.findById(id),
      async revokeToken(id) {
        await database.tokens.revoke(id, new Date(), by);
      },
      async createName(protocol, name) {
        if (protocol === "npm") await database.npm.recorder.publish(newNpmVersion({ name }), by);
        else await database.nuget.recorder.record(newPackage({ id: name, version: "1.0.0" }), by);
      },
    });
    const events = await database.events.outbox.pending("schemas", 1_000);
    expect(events.flatMap(eventProblems)).toEqual([]);
  });

  test("jobs that may not create names publish only those that exist", async () => {
    await using place = await openMigratedPlace(type);
    await using database = await openDatabase(place.config);
    const { nuget, npm, tokens } = database;
    const policy = publishPolicy({ mayCreate: false });
    await database.policies.add(policy, by);
    const token = tokenRecord({ policyId: policy.id });
    await tokens.insert(token, by);
    const job = { actor: "job", tokenId: token.id, needs: undefined };
    const [name, id] = ["@acme/new", "Acme.New"];
    const refusal = { code: "new-name-refused" };
    const record = (version: string, caller: Caller) =>
      nuget.recorder.record(newPackage({ id, version }), caller);
    const publish = (version: string, caller: Caller) =>
      npm.recorder.publish(newNpmVersion({ name, version }), caller);
    await expect(record("1.0.0", job)).rejects.toMatchObject(refusal);
    await expect(publish("1.0.0", job)).rejects.toMatchObject(refusal);
    expect((await record("1.0.0", by)).status).toBe("recorded");
    expect((await record("1.1.0", job)).status).toBe("recorded");
    await publish("1.0.0", by);
    await publish("1.1.0", job);
  });

  test("marks policies of makers that are blocked or deleted", async () => {
    await using place = await openMigratedPlace(type);
    await using database = await openDatabase(place.config);
    const policy = publishPolicy({ makerId: "0b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10" });
    await database.policies.add(policy, by);
    const [stored] = await database.policies.matching(policy.issuer, "npm");
    expect(stored).toEqual({ ...policy, isMakerGone: true });
  });
});

afterAll(leaveTestServers);
