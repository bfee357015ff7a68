import { createNameViews } from "@sealhouse/identity";
import type { Principal } from "@sealhouse/identity";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { parseCompletionQuery, parseSearchQuery } from "@sealhouse/nuget-protocol";
import type { CatalogItem, NewCatalogItem } from "@sealhouse/nuget-protocol";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { createCatalogLog } from "../nuget/catalog/catalog-log.ts";
import { insertRows } from "../testing/insert-rows.ts";
import { openTestParts } from "../testing/open-test-parts.ts";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";

const by = { actor: "operator" };
const [OWNER, MEMBER, STRANGER, TEAM] = ["owner", "member", "stranger", "team"].map(
  (word) => `00000000-0000-4000-8000-${word.padStart(12, "0")}`,
);
const EVERY_NAME = ["internal-one", "private-one", "public-one"];

function person(id = "", role: "publisher" | "administrator" = "publisher"): Principal {
  const user = { id, handle: id.slice(-8), role, state: "active" } as const;
  const limits = { scopes: ["read"], protocols: [], patterns: [], networks: [] } as const;
  return { tokenId: id, name: user.handle, user, ...limits };
}

/** The names that each caller sees. */
const CALLERS: readonly (readonly [string, Principal | undefined, readonly string[]])[] = [
  ["an anonymous caller", undefined, ["public-one"]],
  ["a stranger", person(STRANGER), ["internal-one", "public-one"]],
  ["the owner", person(OWNER), EVERY_NAME],
  ["a member of an owning team", person(MEMBER), EVERY_NAME],
  ["an administrator", person(STRANGER, "administrator"), EVERY_NAME],
  [
    "a token of the operators",
    { tokenId: "t", name: "ci", scopes: ["read"], protocols: [], patterns: [], networks: [] },
    EVERY_NAME,
  ],
];

async function openNames(type: Parameters<typeof openTestParts>[0]) {
  const parts = await openTestParts(type);
  const { npm, nuget, visibilities } = parts.database;
  for (const name of EVERY_NAME) {
    await npm.recorder.publish(newNpmVersion({ name, dependencyNames: ["base"] }), by);
    const identity = { id: name, version: "1.0.0" };
    await nuget.recorder.record(newPackage(identity, { dependencyIds: ["base"] }), by);
  }
  const at = new Date("2026-01-01T00:00:00Z");
  const created = { created_at: at, created_by: "operator" };
  await insertRows(parts.connections.port, "host_team_members", [
    { team_id: TEAM, user_id: MEMBER, level: "member", source: "hand", created_at: at },
  ]);
  for (const protocol of ["npm", "nuget"] as const) {
    await visibilities.set(protocol, "Private-One".toLowerCase(), { visibility: "private", by });
    await visibilities.set(protocol, "internal-one", { visibility: "internal", by });
    for (const [owner, kind] of [
      [OWNER, "user"],
      [TEAM, "team"],
    ]) {
      await insertRows(parts.connections.port, "ownerships", [
        {
          protocol,
          name_key: "private-one",
          owner_id: owner,
          owner_kind: kind,
          level: "read",
          ...created,
        },
      ]);
    }
  }
  return parts;
}

const HIDE = { visibility: "private", by } as const;
const SHOW = { visibility: "public", by } as const;

function details(version: string, more: Partial<NewCatalogItem> = {}): NewCatalogItem {
  const leaf = '{"description":"secret"}';
  return { type: "PackageDetails", id: "Acme.Widgets", version, leaf, ...more };
}

async function openCatalog(type: Parameters<typeof openTestParts>[0]) {
  const parts = await openTestParts(type);
  const { nuget, visibilities } = parts.database;
  for (const id of ["Acme.Widgets", "Acme.Other"]) {
    await nuget.recorder.record(newPackage({ id, version: "1.0.0" }), by);
  }
  const all = () => nuget.catalog.items(0, 10_000);
  return { parts, visibilities, catalog: nuget.catalog, all };
}

function typesOf(items: readonly CatalogItem[]): readonly string[] {
  return items.map(({ type, id, version }) => `${type} ${id} ${version}`);
}

/** The newest type of each version. */
function newestOf(items: readonly CatalogItem[]): ReadonlyMap<string, string> {
  return new Map(items.map(({ version, type }) => [version, type]));
}

describe.each(testableDatabases())("%s", (type) => {
  afterAll(() => leaveTestServers());

  test("lists and counts only the names that a caller may see", async () => {
    await using parts = await openNames(type);
    const { npm, nuget, visibilities } = parts.database;
    const views = createNameViews(visibilities);
    for (const [who, principal, names] of CALLERS) {
      const limitOf = async (protocol: "npm" | "nuget") => {
        const hidden = (await views.viewOf(principal, { protocol }))?.hiddenNames();
        return {
          view: await views.viewOf(principal, { protocol }),
          limit: hidden ? { hidden } : {},
        };
      };
      const { limit, view } = await limitOf("npm");
      const seen = EVERY_NAME.filter((name) => view?.hiddenNames()?.has(name) !== true);
      expect(seen, who).toEqual(names);
      const found = await npm.search.search({ text: "", from: 0, size: 9, ...limit });
      expect([found.total, found.hits.map(({ name }) => name)], who).toEqual([names.length, names]);
      const users = await npm.dependents.dependents("base", { from: 0, size: 9, ...limit });
      expect([users.total, users.names], who).toEqual([names.length, names]);

      const { limit: idLimit } = await limitOf("nuget");
      const hits = await nuget.search.search({
        ...parseSearchQuery(new URLSearchParams({ q: "" })),
        ...idLimit,
      });
      expect([hits.totalHits, hits.hits.length], who).toEqual([names.length, names.length]);
      const one = await nuget.search.search({
        ...parseSearchQuery(new URLSearchParams({ q: "private" })),
        ...idLimit,
      });
      expect(one.totalHits, who).toBe(names.includes("private-one") ? 1 : 0);
      const completed = await nuget.search.idsStartingWith({
        ...parseCompletionQuery(new URLSearchParams({ q: "" })),
        ...idLimit,
      });
      expect(completed, who).toEqual({ totalHits: names.length, ids: names });
      const needed = await nuget.search.dependents("base", { skip: 0, take: 9, ...idLimit });
      expect(needed.totalHits, who).toBe(names.length);
      const { hidden } = idLimit;
      const inBoth = hidden && { nuget: hidden, npm: hidden };
      const latest = await parts.database.latestPackages(9, inBoth);
      expect(latest.map(({ name }) => name).toSorted(), who).toEqual(
        names.flatMap((name) => [name, name]),
      );
    }
  });

  test("records each change once, and refuses unknown names", async () => {
    await using parts = await openNames(type);
    const { visibilities, events } = parts.database;
    const makePublic = { visibility: "public", by } as const;
    const makePrivate = { visibility: "private", by } as const;
    expect(await visibilities.any()).toBe(true);
    expect(await visibilities.set("npm", "unknown", makePrivate)).toBe("absent");
    expect(await visibilities.set("nuget", "PRIVATE-one", makePrivate)).toBe("unchanged");
    expect(await visibilities.find("nuget", "Private-ONE")).toMatchObject({
      visibility: "private",
    });
    expect(await visibilities.set("nuget", "private-one", makePublic)).toBe("set");
    expect(await visibilities.find("nuget", "private-one")).toBeUndefined();
    expect(await visibilities.set("npm", "private-one", makePublic)).toBe("set");
    expect((await visibilities.list("npm")).map(({ name }) => name)).toEqual(["internal-one"]);
    const pending = await events.outbox.pending("test", 100);
    const changes = pending.filter((event) => event.type === "package.access-changed");
    expect(
      changes.map(({ subject, detail }) => `${subject} ${String(detail?.["access"])}`),
    ).toEqual([
      "npm/private-one private",
      "npm/internal-one internal",
      "nuget/private-one private",
      "nuget/internal-one internal",
      "nuget/private-one public",
      "npm/private-one public",
    ]);
  });

  test("ends the versions of a hidden package in NuGet's catalog", async () => {
    const { parts, visibilities, catalog, all } = await openCatalog(type);
    await using _ = parts;
    await catalog.append([
      details("1.0.0-Beta+x", { eventId: "1" }),
      details("1.0.0", { id: "Acme.Other", eventId: "2" }),
      details("2.0.0", { eventId: "3" }),
      details("2.0.0", { type: "PackageDelete", eventId: "4" }),
    ]);
    const before = await all();
    const [first] = before;
    if (!first) throw new Error("an item was appended");
    const unknown = {
      ...HIDE,
      by: {
        actor: "x",
        tokenId: "00000000-0000-4000-8000-000000000000",
        needs: undefined,
      },
    };
    await expect(visibilities.set("nuget", "acme.widgets", unknown)).rejects.toThrow();
    expect(await all()).toEqual(before);

    await visibilities.set("nuget", "acme.widgets", HIDE);
    await catalog.append([
      details("3.0.0", { eventId: "5" }),
      details("1.0.0-beta", { type: "PackageDelete", eventId: "6" }),
      details("1.0.1", { id: "Acme.Other", eventId: "7" }),
    ]);
    await visibilities.set("nuget", "acme.widgets", { ...HIDE, visibility: "internal" });
    const hidden = await all();
    expect(typesOf(hidden)).toEqual([
      "PackageDelete Acme.Widgets 1.0.0-Beta+x",
      "PackageDetails Acme.Other 1.0.0",
      "PackageDelete Acme.Widgets 2.0.0",
      "PackageDelete Acme.Widgets 2.0.0",
      "PackageDelete Acme.Widgets 1.0.0-Beta+x",
      "PackageDetails Acme.Other 1.0.1",
    ]);
    expect(hidden.map(({ commitId }) => commitId).slice(0, 4)).toEqual(
      before.map(({ commitId }) => commitId),
    );
    expect((await catalog.head())?.count).toBe(6);
    const leaf = await catalog.find(first.commitAt);
    expect(leaf).toMatchObject({ type: "PackageDelete", position: 0 });
    expect(leaf?.leaf).not.toContain("secret");
    expect(await catalog.shows("acme.widgets")).toBe(false);

    await visibilities.set("nuget", "acme.widgets", SHOW);
    expect(await catalog.shows("acme.widgets")).toBe(true);
    await catalog.append([details("3.0.0", { eventId: "5" })]);
    const shown = await all();
    expect(typesOf(shown).filter((text) => text.startsWith("PackageDetails"))).toHaveLength(5);
    expect((await catalog.find(first.commitAt))?.leaf).toContain("secret");
  });

  test("reads only the hidden names of a page of NuGet's catalog", async () => {
    const { parts, visibilities, catalog } = await openCatalog(type);
    await using _ = parts;
    await catalog.append([
      details("1.0.0"),
      details("1.0.0", { id: "Acme.Other" }),
      details("2.0.0"),
    ]);
    await visibilities.set("nuget", "acme.widgets", HIDE);
    const changed_at = new Date("2026-01-01T00:00:00Z");
    const others = Array.from({ length: 300 }, (_each, n) => ({
      protocol: "nuget",
      name_key: `hidden.${n}`,
      visibility: "private",
      trusted_only: parts.config.type === "PostgreSQL" ? false : 0,
      changed_at,
    }));
    await insertRows(parts.connections.port, "name_settings", others);
    const counts: number[] = [];
    const { queries } = parts.connections;
    const counting: typeof queries = {
      ...queries,
      async all(statement, values) {
        const rows = await queries.all(statement, values);
        counts.push(rows.length);
        return rows;
      },
    };
    const log = createCatalogLog({ queries: counting, changes: parts.changes });
    expect(typesOf(await log.items(0, 550))[1]).toBe("PackageDetails Acme.Other 1.0.0");
    const [first] = await log.at([0]);
    expect((await log.find(first?.commitAt ?? changed_at))?.type).toBe("PackageDelete");
    expect((await log.head())?.newest.type).toBe("PackageDelete");
    expect(await log.shows("acme.other")).toBe(true);
    expect(await log.shows("hidden.299")).toBe(false);
    expect(counts.length).toBeGreaterThan(5);
    expect(Math.max(...counts)).toBeLessThanOrEqual(5);
  });

  test("hides a thousand versions while others are appended, without gaps", async () => {
    const { parts, visibilities, catalog, all } = await openCatalog(type);
    await using _ = parts;
    const versions = (from: number, to: number) =>
      Array.from({ length: to - from }, (_each, n) => details(`1.0.${from + n}`));
    await catalog.append(versions(0, 1000));
    await Promise.all([
      ...[0, 1, 2, 3].map((n) => catalog.append(versions(1000 + 3 * n, 1003 + 3 * n))),
      visibilities.set("nuget", "acme.widgets", HIDE),
      ...[4, 5, 6, 7].map((n) => catalog.append(versions(1000 + 3 * n, 1003 + 3 * n))),
    ]);
    await visibilities.set("nuget", "acme.widgets", SHOW);
    const items = await all();
    expect(new Set(newestOf(items).values())).toEqual(new Set(["PackageDelete"]));
    expect(items.length).toBeGreaterThanOrEqual(2000);
    expect(items.map(({ position }) => position)).toEqual(items.map((_item, index) => index));
    const times = items.map(({ commitAt }) => commitAt.getTime());
    expect(times).toEqual([...new Set(times)].toSorted((one, other) => one - other));
  });
});
