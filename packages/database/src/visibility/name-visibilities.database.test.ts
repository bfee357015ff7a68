import { createNameViews } from "@sealhouse/identity";
import type { Principal } from "@sealhouse/identity";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { parseCompletionQuery, parseSearchQuery } from "@sealhouse/nuget-protocol";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { insertRows } from "../testing/insert-rows.ts";
import { openTestParts } from "../testing/open-test-parts.ts";
import { stopTestCluster, testableDatabases } from "../testing/index.ts";

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

describe.each(testableDatabases())("%s", (type) => {
  afterAll(() => stopTestCluster());

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
});
