import { randomUUID } from "node:crypto";
import { tokenRecord } from "@sealhouse/identity/testing";
import { parseRepositoryName, runTagRetention } from "@sealhouse/oci-distribution";
import type { TagRule } from "@sealhouse/oci-distribution";
import { blobOf } from "@sealhouse/oci-distribution/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const START = Date.UTC(2026, 0, 2);
const DAY_MS = 24 * 60 * 60_000;
const caller = { actor: "alice" };
const app = parseRepositoryName("team/app");

/** A registry whose clock is moved by hand. */
async function openImages(type: DatabaseConfig["type"]) {
  const clock = { ms: START };
  const database = await openTestDatabase({ type, now: () => new Date(clock.ms) });
  const { blobs, manifests, tags } = database.oci;
  const records = database.blobRecords("oci", caller);
  return {
    clock,
    database,
    manifests,
    records,
    tags,
    async push(content: string, tagNames: readonly string[]) {
      const { digest, bytes } = blobOf(content);
      await blobs.link(app, { digest, key: `oci/${content}`, size: bytes.length });
      const edges = [{ digest, size: bytes.length, kind: "layer" as const }];
      const manifest = blobOf(`manifest of ${content}`);
      const what = { ...manifest, mediaType: "application/json", edges, tags: tagNames };
      await manifests.record({ ...what, repository: app }, caller);
      return { layer: digest, manifest: manifest.digest };
    },
    async events() {
      const all = await database.events.outbox.pending("test", 100);
      return all.filter(({ type: kind }) => kind !== "package.published");
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

describe.each(testableDatabases())("%s", (type) => {
  test("damage and its end write one event each, with the row", async () => {
    await using images = await openImages(type);
    const { layer } = await images.push("content", ["1"]);
    const { records, database } = images;
    const [blob] = await records.blobs({ limit: 1 });
    if (!blob) throw new Error("there is no blob");
    await records.markDamaged(blob, "digest");
    await records.markDamaged(blob, "missing");
    expect(await database.blobs.damaged("oci")).toBe(1);
    expect(await database.blobs.damaged("npm")).toBe(0);
    expect(await database.blobs.usage("oci"), "it is still there").toBe(7);
    await records.markVerified(blob);
    await records.markVerified(blob);
    expect(await database.blobs.damaged("oci")).toBe(0);
    const subject = `oci/${layer}`;
    expect(await images.events()).toMatchObject([
      {
        type: "blob.damaged",
        subject,
        caller,
        detail: { problem: "digest", size: 7, repositories: ["team/app"] },
      },
      { type: "blob.restored", subject, caller, detail: { size: 7 } },
    ]);
  });

  test("keeps a tag that is pulled after its selection", async () => {
    await using images = await openImages(type);
    const { clock, manifests, tags } = images;
    const { manifest } = await images.push("old", ["1.0", "2.0"]);
    clock.ms += DAY_MS;
    const [first, second] = await tags.tagRecords(app, { limit: 2 });
    if (!first || !second) throw new Error("there are no tags");
    await manifests.find(app, "1.0");
    // Times of pulls are written later; readers of this process wait.
    await tags.tagRecords(app, { limit: 2 });
    const by = { rule: "few", caller };
    expect(await tags.removeTag(app, first, by)).toBe("kept");
    expect(await tags.removeTag(app, second, by)).toBe("deleted");
    const [pulled] = await tags.tagRecords(app, { limit: 2 });
    expect(pulled).toEqual({ ...first, pulledAt: new Date(clock.ms) });
    expect(await images.events()).toMatchObject([
      {
        type: "package.deleted",
        subject: "oci/team/app:2.0",
        caller,
        detail: { digest: manifest, retention: "few" },
      },
    ]);
  });

  test("retention uses the push and pull times of tags", async () => {
    await using images = await openImages(type);
    const { clock, database, manifests, tags } = images;
    for (const tag of ["a", "b", "c", "d"]) {
      clock.ms += DAY_MS;
      await images.push(tag, [tag]);
    }
    clock.ms += 10 * DAY_MS;
    await manifests.find(app, "b");
    clock.ms += DAY_MS;
    const every = () => true;
    const rule: TagRule = {
      name: "one",
      coversRepository: every,
      coversTag: every,
      immutable: false,
      keep: { newest: 1, pulledWithinMs: 2 * DAY_MS, always: () => false },
    };
    const ports = { manifests, tags, completed: async () => undefined };
    const run = { rules: [rule], dryRun: false, caller, now: new Date(clock.ms) };
    const gone = await Array.fromAsync(runTagRetention(ports, run), ({ tag }) => tag);
    expect(gone).toEqual(["a", "c"]);
    expect(await database.oci.manifests.tags(app, { limit: 9 })).toEqual(["b", "d"]);
  });

  test("an import of owners reads who pushed to the present repository", async () => {
    await using images = await openImages(type);
    const { people, tokens, events, ownership } = images.database;
    await images.push("content", ["1"]);
    const [alice, bob] = [randomUUID(), randomUUID()];
    const users = { alice, bob, carl: randomUUID(), dan: randomUUID() };
    for (const [handle, id] of Object.entries(users)) {
      const user = { id, handle, displayName: handle, role: "publisher" } as const;
      await people.add(user, new Date(START), caller);
    }
    const [ofAlice, ofBob] = [tokenRecord({ userId: alice }), tokenRecord({ userId: bob })];
    const ofOperators = tokenRecord({ name: "carl" });
    for (const token of [ofAlice, ofBob, ofOperators]) await tokens.insert(token, caller);
    const pushes = [
      { ms: -DAY_MS, actor: "bob", tokenId: ofBob.id },
      { ms: 0, actor: "carl", tokenId: ofOperators.id },
      { ms: 1, actor: "alice", tokenId: ofAlice.id },
      { ms: 2, actor: "dan" },
    ];
    await events.audit.append(
      pushes.map(({ ms, ...by }, index) => ({
        id: String(index + 1),
        type: "package.published",
        subject: `oci/${app}:1`,
        at: new Date(START + ms),
        caller: by,
      })),
    );
    await ownership.unowned.adoptPublishers(caller);
    const owners = await ownership.ownerships.list({ protocol: "oci", name: app });
    expect(owners.map(({ handle, level }) => `${handle} ${level}`)).toEqual([
      "alice manage",
      "dan publish",
    ]);
  });
});

afterAll(leaveTestServers);
