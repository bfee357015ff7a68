import { randomUUID } from "node:crypto";
import type { Owner } from "@sealhouse/identity";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { blobOf } from "@sealhouse/oci-distribution/testing";
import type { Caller, Protocol } from "@sealhouse/request-types";
import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import type { Database } from "../database.ts";
import { openTestParts } from "../testing/open-test-parts.ts";
import { ownerRows } from "../testing/owner-rows.ts";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";

const NAME = "acme";
const PROTOCOLS = ["nuget", "npm", "oci"] as const satisfies readonly Protocol[];
const by: Caller = { actor: "operator" };
const TAKEN = {
  name: "NameTakenError",
  code: "name-taken",
  message: "acme belongs to other owners, and only they publish it.",
};

/** Records a version, as a publish does after its authorization. */
function publish(database: Database, protocol: Protocol, version: string, caller: Caller) {
  if (protocol === "nuget")
    return database.nuget.recorder.record(newPackage({ id: NAME, version }), caller);
  if (protocol === "npm")
    return database.npm.recorder.publish(newNpmVersion({ name: NAME, version }), caller);
  const manifest = { ...blobOf(version), mediaType: "application/json", edges: [] };
  const repository = parseRepositoryName(NAME);
  return database.oci.manifests.record({ ...manifest, tags: [version], repository }, caller);
}

/** A database with Alice and Bob. */
async function openOwners(type: DatabaseConfig["type"]) {
  const parts = await openTestParts(type);
  const { addOwner } = ownerRows(parts.changes);
  const user = async (handle: string): Promise<Owner> => {
    const owner = { id: randomUUID(), kind: "user", handle } as const;
    await addOwner(owner);
    return owner;
  };
  return { ...parts, alice: await user("alice"), bob: await user("bob") };
}

/** The caller of a publish that the owners of the name, at the time, allowed. */
function allowed({ id, handle }: Owner, owners: readonly string[]): Caller {
  return { actor: handle, holderId: id, ownedName: { isNew: owners.length === 0, owners } };
}

describe.each(testableDatabases())("a name in %s", (type) => {
  test.each(PROTOCOLS)("that another publisher creates first belongs to them: %s", async (at) => {
    await using parts = await openOwners(type);
    const { alice, bob, database } = parts;
    const { ownerships } = database.ownership;
    await publish(database, at, "1.0.0", allowed(alice, []));
    const late = publish(database, at, "1.1.0", allowed(bob, []));
    await expect(late).rejects.toMatchObject(TAKEN);
    await publish(database, at, "1.1.0", allowed(alice, []));
    const owners = await ownerships.list({ protocol: at, name: NAME });
    expect(owners).toEqual([{ ...alice, level: "manage" }]);
  });

  test.each(PROTOCOLS)("whose owners remove a publisher belongs to them: %s", async (at) => {
    await using parts = await openOwners(type);
    const { alice, bob, database } = parts;
    const { ownerships } = database.ownership;
    const name = { protocol: at, name: NAME };
    await publish(database, at, "1.0.0", allowed(alice, []));
    await ownerships.grant(name, { ...bob, level: "publish" }, by);
    const caller = allowed(bob, ["alice", "bob"]);
    await publish(database, at, "1.1.0", caller);
    await ownerships.grant(name, { ...bob, level: "read" }, by);
    await expect(publish(database, at, "1.2.0", caller)).rejects.toMatchObject(TAKEN);
    await ownerships.revoke(name, bob.id, by);
    await expect(publish(database, at, "1.2.0", caller)).rejects.toMatchObject(TAKEN);
    await publish(database, at, "1.2.0", allowed(alice, ["alice"]));
  });
});

afterAll(leaveTestServers);
