import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { parseManifest, parseRepositoryName } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const KEPT_HOURS = 24;
const alice = { actor: "alice" };
const app = parseRepositoryName("acme/app");

const timeOf = (hour: number) => new Date(START + hour * HOUR_MS);

/** A database that keeps deleted content for a day, or not at all. */
async function openKeeping(type: DatabaseConfig["type"], hours = KEPT_HOURS) {
  const clock = { hour: 0 };
  const now = () => timeOf(clock.hour);
  const database = await openTestDatabase({ type, now, keepContentMs: hours * HOUR_MS });
  const isNamed = async (key: string) => (await database.blobs.isNamed([key])).has(key);
  return { clock, database, isNamed, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

async function publishWidgets(
  { recorder }: Awaited<ReturnType<typeof openTestDatabase>>["nuget"],
  key: string,
  sha256 = key.repeat(64),
) {
  const made = newPackage({ id: "Acme.Widgets", version: "1.0.0-RC" });
  const blob = { ...made.blob, key: `nuget/${key}`, sha256 };
  const seal = { plan: Buffer.from("plan"), fingerprint: "f", size: 7, signedAt: timeOf(0) };
  await recorder.record({ ...made, publishedAt: timeOf(0), blob, seal }, alice, {
    overwrite: true,
  });
}

describe.each(testableDatabases())("%s", (type) => {
  test("keeps replaced and deleted NuGet versions for a day", async () => {
    await using opened = await openKeeping(type);
    const { clock, database, isNamed } = opened;
    const { lookup, lifecycle, past } = database.nuget;
    await publishWidgets(database.nuget, "a");
    const first = await lookup.find("acme.widgets", "1.0.0-rc");
    const [record] = await lookup.versions("acme.widgets");
    clock.hour = 1;
    await publishWidgets(database.nuget, "b");
    clock.hour = 2;
    await lifecycle.delete("acme.widgets", "1.0.0-rc", alice);
    expect(await lookup.find("acme.widgets", "1.0.0-rc")).toBeUndefined();

    const [kept, ...others] = await past.kept("acme.widgets", timeOf(0));
    expect(others).toEqual([]);
    expect(kept).toEqual({ record, stored: first });
    const keyAt = async (hour: number, version = "1.0.0-rc") =>
      (await past.kept("acme.widgets", timeOf(hour), version)).map(({ stored }) => stored.blob.key);
    expect(await keyAt(1)).toEqual(["nuget/b"]);
    expect([await keyAt(2), await keyAt(1, "1.0.0")]).toEqual([[], []]);

    clock.hour = 1 + KEPT_HOURS;
    expect(await database.history.dropOutlived()).toBe(1);
    expect([await keyAt(0), await keyAt(1)]).toEqual([[], ["nuget/b"]]);
    expect([await isNamed("nuget/a"), await isNamed("nuget/b")]).toEqual([false, true]);
    clock.hour += 1;
    expect(await database.history.dropOutlived()).toBe(1);
    expect(await isNamed("nuget/b")).toBe(false);
  });

  test("keeps unpublished npm versions for a day", async () => {
    await using opened = await openKeeping(type);
    const { clock, database, isNamed } = opened;
    const { recorder, lifecycle, lookup, past } = database.npm;
    const made = newNpmVersion({ version: "1.0.0", publishedAt: timeOf(0) });
    await recorder.publish(made, alice);
    const found = await lookup.find("demo");
    const tarball = await lookup.tarball("demo", "1.0.0");
    clock.hour = 2;
    const revision = found?.revision ?? -1;
    await lifecycle.unpublish("demo", { versions: "all", revision }, alice);
    expect(await lookup.find("demo")).toBeUndefined();
    expect(await past.kept("demo", timeOf(1))).toEqual([{ version: found?.versions[0], tarball }]);
    expect(await past.kept("demo", timeOf(2))).toEqual([]);
    clock.hour = 1 + KEPT_HOURS;
    expect(await database.history.dropOutlived()).toBe(0);
    clock.hour += 1;
    expect(await database.history.dropOutlived()).toBe(1);
    expect([await past.kept("demo", timeOf(1)), await isNamed(made.blob.key)]).toEqual([[], false]);
  });

  test("keeps nothing where the time is 0", async () => {
    await using opened = await openKeeping(type, 0);
    const { clock, database, isNamed } = opened;
    await publishWidgets(database.nuget, "a");
    clock.hour = 1;
    await database.nuget.lifecycle.delete("acme.widgets", "1.0.0-rc", alice);
    expect(await database.nuget.past.kept("acme.widgets", timeOf(0))).toEqual([]);
    expect(await isNamed("nuget/a")).toBe(false);
  });

  test("erases deleted content before its time, with an event", async () => {
    await using opened = await openKeeping(type);
    const { clock, database, isNamed } = opened;
    await publishWidgets(database.nuget, "a");
    clock.hour = 1;
    await database.nuget.lifecycle.delete("acme.widgets", "1.0.0-rc", alice);
    const named = { protocol: "nuget", name: "acme.widgets" } as const;
    expect(await database.history.erase({ ...named, item: "2.0.0" }, alice)).toBe(0);
    expect(await database.history.erase({ ...named, item: "1.0.0-rc" }, alice)).toBe(1);
    expect(await database.nuget.past.kept("acme.widgets", timeOf(0))).toEqual([]);
    expect(await isNamed("nuget/a")).toBe(false);
    const events = await database.events.outbox.pending("audit", 10);
    const subjects = events.map(({ type: eventType, subject }) => `${eventType} ${subject}`);
    expect(subjects.at(-1)).toBe("package.erased nuget/acme.widgets@1.0.0-rc");
  });

  test.each([KEPT_HOURS, 0])("shows a deleted image to views for %d hours", async (hours) => {
    await using opened = await openKeeping(type, hours);
    const { clock, database } = opened;
    const { blobs, manifests, past, browsing } = database.oci;
    const { mediaType, digest, bytes, blobs: layers } = buildImage({ layers: ["1"] });
    for (const layer of layers) {
      const key = `k/${layer.digest.slice(7)}`;
      await blobs.link(app, { digest: layer.digest, key, size: layer.bytes.length });
    }
    const { kind: _, ...parsed } = parseManifest(bytes, mediaType);
    const push = (tags: readonly string[]) =>
      manifests.record({ ...parsed, repository: app, digest, bytes, tags }, alice);
    await push(["latest"]);
    clock.hour = 1;
    expect(await manifests.deleteManifest(app, digest, alice)).toBe("deleted");
    expect(await manifests.deleteManifest(app, digest, alice)).toBe("absent");
    expect(await manifests.find(app, digest)).toBeUndefined();
    expect(await manifests.find(app, "latest")).toBeUndefined();
    expect(await browsing.manifest(app, digest)).toBeUndefined();
    expect((await past.deleted(app, digest))?.digest).toBe(hours > 0 ? digest : undefined);
    const other = buildImage({ layers: ["2"] }).digest;
    const erase = (item: string) =>
      database.history.erase({ protocol: "oci", name: app, item }, alice);
    expect(await erase(other)).toBe(0);
    expect(await push([])).toEqual({ status: "recorded" });
    expect((await manifests.find(app, digest))?.digest).toBe(digest);
    expect(await past.deleted(app, digest)).toBeUndefined();
    expect(await erase(digest)).toBe(0);
    await manifests.deleteManifest(app, digest, alice);
    expect(await erase(digest)).toBe(hours > 0 ? 1 : 0);
    expect(await past.deleted(app, digest)).toBeUndefined();
  });
});

afterAll(leaveTestServers);
