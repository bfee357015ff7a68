import { randomBytes } from "node:crypto";
import { openTestDatabase } from "@sealhouse/database/testing";
import { openKeyRing } from "@sealhouse/identity";
import type { KeyRing } from "@sealhouse/identity";
import { npmKeyProtection, replaceKey } from "@sealhouse/npm-protocol";
import type { NpmPackage } from "@sealhouse/npm-protocol";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { expect, test } from "vitest";
import { createNpmSignatures } from "./npm-signatures.ts";

const log = { info: () => undefined };
const alice = { actor: "alice" };
const { signal } = new AbortController();

async function openParts() {
  const database = await openTestDatabase({});
  const now = () => new Date();
  const keyRing = await openKeyRing({ random: randomBytes });
  const instance = (enabled: boolean, ring: KeyRing = keyRing) =>
    createNpmSignatures({ enabled, database, keyRing: ring, log, now });
  const demo = async (): Promise<NpmPackage> => {
    const npmPackage = await database.npm.lookup.find("demo");
    if (!npmPackage) throw new Error("demo is not published");
    return npmPackage;
  };
  const close = () => database[Symbol.asyncDispose]();
  return { database, keyRing, instance, demo, [Symbol.asyncDispose]: close };
}

test("signs existing and new versions, then lists the key", async () => {
  await using parts = await openParts();
  const { database, instance, demo } = parts;
  await database.npm.recorder.publish(newNpmVersion({ version: "1.0.0" }), alice);
  const [signatures, other] = [instance(true), instance(true)];
  await Promise.all([signatures.job.run(signal), other.job.run(signal)]);
  await other.recorder.publish(newNpmVersion({ version: "2.0.0" }), alice);
  const [key, ...more] = await database.npm.signingKeys.announced();
  expect(more).toEqual([]);
  const signers = (await demo()).versions.map((version) =>
    version.signatures?.map((by) => by.keyid),
  );
  expect(signers).toEqual([[key?.keyId], [key?.keyId]]);
});

test("signs at its next run what another instance published unsigned", async () => {
  await using parts = await openParts();
  const { database, instance, demo } = parts;
  const signatures = instance(true);
  await signatures.job.run(signal);
  await database.npm.recorder.publish(newNpmVersion({}), alice);
  expect((await demo()).versions[0]).not.toHaveProperty("signatures");
  await signatures.job.run(signal);
  expect((await demo()).versions[0]?.signatures).toHaveLength(1);
});

test("shows neither keys nor signatures while switched off, and both when on again", async () => {
  await using parts = await openParts();
  const { database, instance, demo } = parts;
  const on = instance(true);
  await on.job.run(signal);
  await on.recorder.publish(newNpmVersion({ version: "1.0.0" }), alice);
  const off = instance(false);
  await off.job.run(signal);
  await off.recorder.publish(newNpmVersion({ version: "2.0.0" }), alice);
  expect(await database.npm.signingKeys.announced()).toEqual([]);
  const shown = async () => (await demo()).versions.map((version) => version.signatures?.length);
  expect(await shown()).toEqual([undefined, undefined]);
  await instance(true).job.run(signal);
  expect(await shown()).toEqual([1, 1]);
});

test("signs again what a revoked key signed", async () => {
  await using parts = await openParts();
  const { database, instance, demo } = parts;
  const signatures = instance(true);
  await signatures.job.run(signal);
  await signatures.recorder.publish(newNpmVersion({ version: "1.0.0" }), alice);
  const { signingKeys: keys } = database.npm;
  const [stolen] = await keys.list();
  const protection = npmKeyProtection(parts.keyRing);
  const keyId = await replaceKey({ keys, protection, now: () => new Date() }, alice);
  await database.leases.acquire("npm-signatures", "another", 60_000);
  expect(await signatures.revoke(stolen?.keyId ?? "", alice)).toMatchObject({
    status: "busy",
    heldUntil: expect.any(Date),
  });
  await database.leases.release("npm-signatures", "another");
  expect(await signatures.revoke(stolen?.keyId ?? "", alice)).toMatchObject({ result: "revoked" });
  expect((await demo()).versions[0]?.signatures).toMatchObject([{ keyid: keyId }]);
});

test("publishes nothing unsigned when it cannot open the key, with the remedy", async () => {
  await using parts = await openParts();
  const { database, instance } = parts;
  await instance(true).job.run(signal);
  const before = await database.npm.signingKeys.list();
  const lost = instance(true, await openKeyRing({ random: randomBytes }));
  const remedy = /Host__DataProtection__KeyPath.*sealhouse npm keys rotate/;
  await expect(lost.recorder.publish(newNpmVersion({}), alice)).rejects.toThrow(remedy);
  await expect(lost.job.run(signal)).rejects.toThrow(remedy);
  expect(await database.npm.lookup.find("demo")).toBeUndefined();
  // Another key ring can still decrypt the key: nothing replaced it.
  expect(before).toHaveLength(1);
  expect(await database.npm.signingKeys.list()).toEqual(before);
  await instance(true).recorder.publish(newNpmVersion({}), alice);
});
