import { PROTOCOLS } from "@sealhouse/identity";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { parseManifest, parseRepositoryName } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";
import type { History } from "./history-log.ts";

const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const alice = { actor: "alice" };
const app = parseRepositoryName("acme/app");

/** A database whose clock shows the hour that a test sets. */
async function openAtHour(type: DatabaseConfig["type"]) {
  const clock = { hour: 0 };
  const timeOf = (hour: number) => new Date(START + hour * HOUR_MS);
  const database = await openTestDatabase({ type, now: () => timeOf(clock.hour) });
  return { clock, timeOf, database, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** The history as lines `kind item=value from-until`, in hours, the oldest first. */
async function linesOf(history: History, name: string): Promise<readonly string[]> {
  const hourOf = (time: Date | undefined) =>
    time === undefined ? "" : (time.getTime() - START) / HOUR_MS;
  const entries = await history.of(name, { protocols: PROTOCOLS, limit: 100 });
  return entries
    .toReversed()
    .map(
      ({ kind, item, value, from, until }) =>
        `${kind} ${item}=${value.slice(0, 16)} ${hourOf(from)}-${hourOf(until)}`,
    );
}

describe.each(testableDatabases())("%s", (type) => {
  test("keeps the intervals of a NuGet package's facts", async () => {
    await using opened = await openAtHour(type);
    const { clock, timeOf, database } = opened;
    const { recorder, lifecycle } = database.nuget;
    const version = { id: "Acme.Widgets", version: "1.0.0" };
    await recorder.record({ ...newPackage(version), publishedAt: timeOf(0) }, alice);
    clock.hour = 1;
    await recorder.setListed("Acme.Widgets", "1.0.0", false, alice);
    clock.hour = 2;
    await recorder.setListed("Acme.Widgets", "1.0.0", true, alice);
    await lifecycle.deprecate("acme.widgets", "all", { reasons: ["Legacy"] }, alice);
    clock.hour = 3;
    await recorder.record(newPackage({ ...version, version: "2.0.0" }), { actor: "bob" });
    clock.hour = 4;
    await lifecycle.delete("acme.widgets", "1.0.0", alice);
    expect((await linesOf(database.history, "Acme.Widgets")).toSorted()).toEqual([
      'deprecation 1.0.0={"reasons":["Leg 2-4',
      "listing 1.0.0=unlisted 1-2",
      'owners =["alice","bob"] 3-',
      'owners =["alice"] 0-3',
      expect.stringMatching(/^version 1\.0\.0=sha256:\w+ 0-4$/),
      expect.stringMatching(/^version 2\.0\.0=sha256:\w+ 3-$/),
    ]);
  });

  test("keeps the intervals of an npm package's facts", async () => {
    await using opened = await openAtHour(type);
    const { clock, timeOf, database } = opened;
    const { recorder, lifecycle, owners, lookup } = database.npm;
    const revision = async () => (await lookup.find("demo"))?.revision ?? -1;
    await recorder.publish(newNpmVersion({ publishedAt: timeOf(0) }), alice);
    clock.hour = 1;
    const deprecated = { version: "1.1.0", publishedAt: timeOf(1), deprecated: "early" };
    await recorder.publish(newNpmVersion(deprecated), alice);
    clock.hour = 2;
    await recorder.setTag("demo", { tag: "latest", version: "1.0.0" }, alice);
    await lifecycle.deprecate("demo", new Map([["1.0.0", "old"]]), alice);
    await owners.setAccess("demo", "restricted", alice);
    clock.hour = 3;
    const selection = { versions: ["1.0.0"], revision: await revision() };
    await lifecycle.unpublish("demo", selection, alice);
    clock.hour = 4;
    await lifecycle.unpublish("demo", { versions: "all", revision: await revision() }, alice);
    expect((await linesOf(database.history, "demo")).toSorted()).toEqual([
      "deprecation 1.0.0=old 2-3",
      "deprecation 1.1.0=early 1-4",
      'owners =[{"name":"alice" 0-4',
      "tag latest=1.0.0 0-1",
      "tag latest=1.0.0 2-3",
      "tag latest=1.1.0 1-2",
      "tag latest=1.1.0 3-4",
      expect.stringMatching(/^version 1\.0\.0=sha512-\S+ 0-3$/),
      expect.stringMatching(/^version 1\.1\.0=sha512-\S+ 1-4$/),
      "visibility =restricted 2-4",
    ]);
  });

  test("keeps the intervals of image tags", async () => {
    await using opened = await openAtHour(type);
    const { clock, database } = opened;
    const { blobs, manifests } = database.oci;
    const push = async (manifest: TestManifest, tags: readonly string[]) => {
      for (const { digest, bytes } of manifest.blobs) {
        await blobs.link(app, { digest, key: `k/${digest.slice(7)}`, size: bytes.length });
      }
      const { mediaType, digest, bytes } = manifest;
      const { kind: _, ...parsed } = parseManifest(bytes, mediaType);
      await manifests.record({ ...parsed, repository: app, digest, bytes, tags }, alice);
    };
    const [image, other] = [buildImage({ layers: ["1"] }), buildImage({ layers: ["2"] })];
    await push(image, ["1.0", "latest"]);
    clock.hour = 1;
    await push(other, ["latest"]);
    await push(other, ["latest"]);
    clock.hour = 2;
    await manifests.deleteTag(app, "1.0", alice);
    await manifests.deleteManifest(app, other.digest, alice);
    expect((await linesOf(database.history, app)).toSorted()).toEqual(
      [
        `tag 1.0=${image.digest.slice(0, 16)} 0-2`,
        `tag latest=${image.digest.slice(0, 16)} 0-1`,
        `tag latest=${other.digest.slice(0, 16)} 1-2`,
      ].toSorted(),
    );
  });

  test("leaves no interval of a change that was undone in the same millisecond", async () => {
    await using opened = await openAtHour(type);
    const { clock, timeOf, database } = opened;
    const { recorder } = database.npm;
    await recorder.publish(newNpmVersion({ publishedAt: timeOf(0) }), alice);
    clock.hour = 1;
    for (let round = 0; round < 3; round += 1) {
      await recorder.setTag("demo", { tag: "next", version: "1.0.0" }, alice);
      await recorder.removeTag("demo", "next", alice);
    }
    expect(await linesOf(database.history, "demo")).not.toContainEqual(
      expect.stringContaining("next"),
    );
  });
});

afterAll(leaveTestServers);
