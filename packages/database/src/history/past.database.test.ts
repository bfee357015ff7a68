import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import type { NamedBlob } from "@sealhouse/nuget-protocol";
import { parseManifest, parseRepositoryName } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const alice = { actor: "alice" };
const app = parseRepositoryName("acme/app");

const timeOf = (hour: number) => new Date(START + hour * HOUR_MS);

/** A database whose clock shows the hour that a test sets. */
async function openAtHour(type: DatabaseConfig["type"]) {
  const clock = { hour: 0 };
  const database = await openTestDatabase({ type, now: () => timeOf(clock.hour) });
  return { clock, database, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

describe.each(testableDatabases())("%s", (type) => {
  test("gives the NuGet versions of a time", async () => {
    await using opened = await openAtHour(type);
    const { clock, database } = opened;
    const { recorder, lifecycle, past } = database.nuget;
    const publish = async (version: string, blob: Partial<NamedBlob> = {}) => {
      const made = newPackage({ id: "Acme.Widgets", version });
      const published = { ...made, publishedAt: timeOf(0), blob: { ...made.blob, ...blob } };
      await recorder.record(published, alice, { overwrite: true });
    };
    await publish("1.0.0-RC");
    await publish("1.1.0");
    clock.hour = 1;
    await recorder.setListed("Acme.Widgets", "1.0.0-RC", false, alice);
    await lifecycle.deprecate("acme.widgets", ["1.1.0"], { reasons: ["Legacy"] }, alice);
    clock.hour = 2;
    await publish("1.1.0", { key: "other", sha256: "0".repeat(64) });
    clock.hour = 3;
    await lifecycle.delete("acme.widgets", "1.0.0-rc", alice);
    const versionsAt = async (hour: number) =>
      (await past.versions("acme.widgets", timeOf(hour))).toSorted((a, b) =>
        a.version < b.version ? -1 : 1,
      );
    const kept = { listed: true, isKept: true };
    const lost = { version: "1.0.0-rc", isKept: false, until: timeOf(3) };
    const replaced = { version: "1.1.0", listed: true, isKept: false, until: timeOf(2) };
    const deprecation = { reasons: ["Legacy"] };
    expect(await versionsAt(-1)).toEqual([]);
    expect(await versionsAt(0.5)).toEqual([{ ...lost, listed: true }, replaced]);
    expect(await versionsAt(1)).toEqual([
      { ...lost, listed: false },
      { ...replaced, deprecation },
    ]);
    expect(await versionsAt(2)).toEqual([
      { ...lost, listed: false },
      { ...kept, version: "1.1.0", deprecation },
    ]);
    expect(await versionsAt(3)).toEqual([{ ...kept, version: "1.1.0", deprecation }]);
    const versionAt = (version: string, hour: number) =>
      past.version("acme.widgets", version, timeOf(hour));
    expect(await versionAt("1.0.0-rc", -1)).toBeUndefined();
    expect(await versionAt("1.0.0-rc", 1)).toEqual({ isKept: false, until: timeOf(3) });
    expect(await versionAt("1.0.0-rc", 3)).toBeUndefined();
    expect(await versionAt("1.1.0", 1)).toEqual({ isKept: false, until: timeOf(2) });
    expect(await versionAt("1.1.0", 2)).toEqual({ isKept: true });
    expect(await past.versions("acme.widget", timeOf(3))).toEqual([]);
  });

  test("gives the npm package of a time", async () => {
    await using opened = await openAtHour(type);
    const { clock, database } = opened;
    const { recorder, lifecycle, lookup, past } = database.npm;
    const publish = async (version: string) =>
      recorder.publish(
        newNpmVersion({ version, publishedAt: timeOf(clock.hour), tags: ["latest"] }),
        alice,
      );
    await publish("1.0.0");
    clock.hour = 1;
    await publish("1.1.0");
    await recorder.setTag("demo", { tag: "next", version: "1.1.0" }, alice);
    await lifecycle.deprecate("demo", new Map([["1.0.0", "old"]]), alice);
    clock.hour = 2;
    const revision = (await lookup.find("demo"))?.revision ?? -1;
    await lifecycle.unpublish("demo", { versions: ["1.1.0"], revision }, alice);
    const packageAt = async (hour: number) => {
      const found = await past.find("demo", timeOf(hour));
      return found && { ...found, versions: Object.fromEntries(found.versions) };
    };
    const integrity = expect.stringMatching(/^sha512-/);
    const maintainers = [expect.objectContaining({ name: "alice" })];
    expect(await packageAt(-1)).toBeUndefined();
    expect(await packageAt(0.5)).toEqual({
      versions: { "1.0.0": { integrity } },
      distTags: { latest: "1.0.0" },
      maintainers,
      changedAt: timeOf(0),
    });
    expect(await packageAt(1.5)).toEqual({
      versions: {
        "1.0.0": { integrity, deprecated: "old" },
        "1.1.0": { integrity, until: timeOf(2) },
      },
      distTags: { latest: "1.1.0", next: "1.1.0" },
      maintainers,
      changedAt: timeOf(1),
    });
    expect(await packageAt(2)).toMatchObject({
      versions: { "1.0.0": { integrity, deprecated: "old" } },
      distTags: { latest: "1.0.0" },
    });
    expect(await past.version("demo", "1.1.0", timeOf(1))).toEqual({ integrity, until: timeOf(2) });
    expect(await past.version("demo", "1.1.0", timeOf(2))).toBeUndefined();
  });

  test("gives the image tags of a time, page by page", async () => {
    await using opened = await openAtHour(type);
    const { clock, database } = opened;
    const { blobs, manifests, past } = database.oci;
    const push = async (manifest: TestManifest, tags: readonly string[]) => {
      for (const { digest, bytes } of manifest.blobs) {
        await blobs.link(app, { digest, key: `k/${digest.slice(7)}`, size: bytes.length });
      }
      const { mediaType, digest, bytes } = manifest;
      const { kind: _, ...parsed } = parseManifest(bytes, mediaType);
      await manifests.record({ ...parsed, repository: app, digest, bytes, tags }, alice);
    };
    const [image, other] = [buildImage({ layers: ["1"] }), buildImage({ layers: ["2"] })];
    await push(image, ["1.0", "latest", "Z"]);
    clock.hour = 1;
    await push(other, ["latest"]);
    await manifests.deleteTag(app, "1.0", alice);
    expect(await past.digest(app, "latest", timeOf(0))).toBe(image.digest);
    expect(await past.digest(app, "latest", timeOf(1))).toBe(other.digest);
    expect(await past.digest(app, "1.0", timeOf(1))).toBeUndefined();
    expect(await past.digest(app, "latest", timeOf(-1))).toBeUndefined();
    expect(await past.tags(app, timeOf(0), { limit: 10 })).toEqual(["1.0", "Z", "latest"]);
    expect(await past.tags(app, timeOf(0), { limit: 1, after: "1.0" })).toEqual(["Z"]);
    expect(await past.tags(app, timeOf(1), { limit: 10 })).toEqual(["Z", "latest"]);
  });

  test("knows when the history begins, and when an import makes it begin earlier", async () => {
    await using opened = await openAtHour(type);
    const { clock, database } = opened;
    const { past, recorder } = database.nuget;
    expect(await past.beginning(timeOf(0))).toBeUndefined();
    const publish = async (id: string, hour: number) => {
      const made = newPackage({ id, version: "1.0.0" });
      await recorder.record({ ...made, publishedAt: timeOf(hour) }, alice);
    };
    clock.hour = 5;
    await publish("New", 5);
    expect(await past.beginning(timeOf(5))).toEqual(timeOf(5));
    clock.hour = 6;
    await publish("Old", 2);
    expect(await past.beginning(timeOf(5))).toEqual(timeOf(5));
    expect(await past.beginning(timeOf(3))).toEqual(timeOf(2));
    expect(await database.oci.past.beginning(timeOf(0))).toEqual(timeOf(2));
  });
});

afterAll(leaveTestServers);
