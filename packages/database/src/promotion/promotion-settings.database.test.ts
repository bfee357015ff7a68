import type { PackageGroup, Syndication } from "@sealhouse/promotion";
import { parseDigest } from "@sealhouse/oci-distribution";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

// Targets, groups and syndications name each other: what another one names stays.

const CALLER = { actor: "ada" };
const PATTERN = { type: "pattern", protocol: "npm", pattern: "@acme/*" } as const;

function target(name: string, fields: object = {}) {
  return { name, protocol: "npm", endpoint: "https://npm.example/", options: "{}", ...fields };
}

function group(name: string, targets: readonly string[] = []): PackageGroup {
  const rule = { type: "latest-stable" } as const;
  return { name, members: [{ protocol: "npm", pattern: "@acme/a", rule }], targets };
}

function syndication(name: string, fields: Partial<Syndication> = {}): Syndication {
  const filter = { prerelease: true, version: "1.*" };
  return { name, from: PATTERN, target: "elsewhere", isEnabled: true, filter, ...fields };
}

afterAll(leaveTestServers);

describe.each(testableDatabases())("%s", (type) => {
  let database: Database;
  beforeAll(async () => void (database = await openTestDatabase({ type })));
  afterAll(() => database[Symbol.asyncDispose]());

  const changesOf = async (subject: string) => {
    const events = await database.events.outbox.pending("test", 10_000);
    return events.filter((event) => event.subject === subject).map(({ detail }) => detail);
  };

  test("a group keeps its members and targets, and the spelling of the last change", async () => {
    const { groups } = database.promotion;
    await groups.put(group("Web", ["prod"]), CALLER);
    await groups.put(group("web", ["prod", "Other"]), CALLER);
    await groups.put(group("api"), CALLER);
    expect(await groups.list()).toEqual([group("api"), group("web", ["prod", "Other"])]);
    const { members } = group("web");
    expect(await changesOf("Web")).toEqual([{ members, targets: ["prod"] }]);
    expect(await changesOf("web")).toEqual([{ members, targets: ["prod", "Other"] }]);
  });

  test("a syndication keeps its source and its filter", async () => {
    const { syndications } = database.promotion;
    const ofGroup = syndication("Nightly", { from: { type: "group", group: "web" } });
    await syndications.put(syndication("nightly", { isEnabled: false }), CALLER);
    await syndications.put(ofGroup, CALLER);
    await syndications.put(syndication("all", { filter: { prerelease: false } }), CALLER);
    expect(await syndications.list()).toEqual([
      syndication("all", { filter: { prerelease: false } }),
      ofGroup,
    ]);
    const { name: _name, isEnabled: _isEnabled, ...parts } = ofGroup;
    expect(await changesOf("Nightly")).toEqual([{ ...parts, enabled: true }]);
  });

  test("a target keeps its credentials, and its event does not", async () => {
    const { targets } = database.promotion;
    const secret = Buffer.from("secret");
    const expiresAt = new Date("2126-01-01T00:00:00.000Z");
    const whole = target("Prod", { credentials: secret, expiresAt, options: '{"a":1}' });
    await targets.put(target("prod"), CALLER);
    await targets.put(whole, CALLER);
    const [found] = await targets.list();
    expect({ ...found, credentials: Buffer.from(found?.credentials ?? []) }).toEqual(whole);
    expect(JSON.stringify(await changesOf("Prod"))).not.toMatch(/secret|c2VjcmV0|115,101/);
  });

  test("a target is paused with a reason once, and resumed once", async () => {
    const { targets } = database.promotion;
    await targets.put(target("paused"), CALLER);
    const find = async () => (await targets.list()).find(({ name }) => name === "paused");
    expect(await targets.pause("unknown", "broken", CALLER)).toBe(false);
    expect(await targets.pause("paused", undefined, CALLER)).toBe(false);
    expect(await targets.pause("PAUSED", "broken", CALLER)).toBe(true);
    expect(await find()).toMatchObject({ pauseReason: "broken", pausedAt: expect.any(Date) });
    expect(await targets.pause("paused", "another reason", CALLER)).toBe(false);
    expect((await find())?.pauseReason).toBe("broken");
    expect(await targets.pause("Paused", undefined, CALLER)).toBe(true);
    expect(await find()).toEqual(target("paused"));
    expect(await changesOf("PAUSED")).toEqual([{ paused: true, reason: "broken" }]);
    expect(await changesOf("Paused")).toEqual([{ paused: false }]);
  });

  test.each([
    ["a group", (db: Database) => db.promotion.groups.put(group("uses", ["USED-1"]), CALLER)],
    [
      "a syndication",
      (db: Database) =>
        db.promotion.syndications.put(syndication("uses", { target: "USED-2" }), CALLER),
    ],
  ])("a target that %s names is not removed", async (what, use) => {
    const { targets, groups, syndications } = database.promotion;
    const name = what === "a group" ? "Used-1" : "Used-2";
    await targets.put(target(name), CALLER);
    await use(database);
    expect(await targets.remove(name, CALLER)).toBe("used");
    expect((await targets.list()).map((row) => row.name)).toContain(name);
    const removed = what === "a group" ? groups : syndications;
    expect(await removed.remove("Uses", CALLER)).toBe("removed");
    expect(await targets.remove(name.toLowerCase(), CALLER)).toBe("removed");
    expect(await targets.remove(name, CALLER)).toBe("absent");
    expect(await changesOf(name.toLowerCase())).toEqual([{ removed: true }]);
  });

  test("a group that a syndication has is not removed", async () => {
    const { groups, syndications } = database.promotion;
    await groups.put(group("Source"), CALLER);
    const ofGroup = syndication("of-group", { from: { type: "group", group: "source" } });
    await syndications.put(ofGroup, CALLER);
    expect(await groups.remove("source", CALLER)).toBe("used");
    expect(await syndications.remove("OF-GROUP", CALLER)).toBe("removed");
    expect(await syndications.remove("of-group", CALLER)).toBe("absent");
    expect(await groups.remove("SOURCE", CALLER)).toBe("removed");
    expect(await groups.remove("source", CALLER)).toBe("absent");
  });

  test("completed manifests belong to a repository of an endpoint", async () => {
    const digest = (letter: string) => parseDigest(`sha256:${letter.repeat(64)}`);
    const at = (endpoint: string, repository: string) =>
      database.promotion.completed(endpoint).in(repository);
    const place = at("https://registry.example", "team/app");
    expect(await place.has(digest("a"))).toBe(false);
    await place.add(digest("a"));
    await place.add(digest("a"));
    await place.add(digest("b"));
    const others = [
      at("https://registry.example", "team/app2"),
      at("https://registry.example/team", "app"),
      at("https://other.example", "team/app"),
    ];
    for (const other of others) expect(await other.has(digest("a"))).toBe(false);
    const [other] = others;
    await other?.add(digest("a"));
    await place.drop();
    expect([await place.has(digest("a")), await place.has(digest("b"))]).toEqual([false, false]);
    expect(await other?.has(digest("a"))).toBe(true);
  });

  test("holds in force are listed by digest, and expired ones are not", async () => {
    const { holds } = database.oci;
    const [a, b, c] = ["a", "b", "c"].map((letter) => parseDigest(`sha256:${letter.repeat(64)}`));
    if (!a || !b || !c) throw new Error("a digest is missing");
    const until = new Date("2126-01-01T00:00:00.000Z");
    await holds.hold([c, a], "operator");
    await holds.hold([b], "release/1", until);
    await holds.hold([a], "release/2", new Date("2020-01-01T00:00:00.000Z"));
    expect(await holds.list(10)).toEqual([
      { digest: a, holder: "operator" },
      { digest: b, holder: "release/1", until },
      { digest: c, holder: "operator" },
    ]);
    expect(await holds.list(1)).toHaveLength(1);
    await holds.release("operator");
    expect((await holds.list(10)).map(({ holder }) => holder)).toEqual(["release/1"]);
  });
});
