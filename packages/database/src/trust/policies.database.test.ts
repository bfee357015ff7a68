import { policiesContract, publishPolicy } from "@sealhouse/identity/testing";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { openDatabase } from "../open-database.ts";
import { stopTestCluster, testableDatabases } from "../testing/index.ts";
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

afterAll(stopTestCluster);
