import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openSqliteFile, openTestOwners, openTestPlace } from "@sealhouse/database/testing";
import { OWNERS_OF_NAME_MAX, TEAM_MEMBERS_MAX } from "@sealhouse/identity";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runInProcess, startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { OWNED_NAMES, openOwnedRegistry, ownedSettings, publishTo } from "./owned-registry.ts";

// The texts that people read when a name or a team takes no more. The team page has its own test.

const cleanUp = new AsyncDisposableStack();
const NAME = OWNED_NAMES.npm;
let host: TestHost;
let settings: Readonly<Record<string, string>>;
let token = "";

beforeAll(async () => {
  const place = cleanUp.use(await openTestPlace("Sqlite"));
  if (place.config.type !== "Sqlite") throw new Error("not a file");
  settings = ownedSettings(place.config);
  host = cleanUp.use(await startHost({ env: settings }));
  const registry = cleanUp.use(await openOwnedRegistry(place.config));
  const { alice, builders } = registry;
  token = await registry.tokenOf("alice laptop", { userId: alice.id });
  expect((await publishTo(host, "npm", { token, version: "1.0.0" })).status).toBeLessThan(300);
  const rows = cleanUp.use(await openTestOwners(place.config));
  const users = Array.from({ length: OWNERS_OF_NAME_MAX - 1 }, (_, n) => `user-${n}`);
  const ids = users.map(() => randomUUID());
  for (const [index, handle] of users.entries()) {
    await rows.addOwner({ id: ids[index] ?? "", kind: "user", handle });
  }
  using file = openSqliteFile(place.config.path);
  const own = file.prepare(
    "insert into ownerships select protocol, name_key, ?, 'user', 'publish', created_at, created_by " +
      "from ownerships where owner_id = ?",
  );
  const member = file.prepare(
    "insert into host_team_members select team_id, ?, 'member', 'hand', created_at " +
      "from host_team_members where team_id = ? and user_id = ?",
  );
  file.exec("begin");
  const [last = "", ...others] = ids;
  for (const id of others) own.run(id, alice.id);
  for (let count = 1; count < TEAM_MEMBERS_MAX; count += 1) {
    member.run(randomUUID(), builders.id, alice.id);
  }
  file.exec("commit");
  // A change that also renders the document again.
  const owner = { id: last, kind: "user", handle: "user-0", level: "publish" } as const;
  const name = { protocol: "npm", name: NAME } as const;
  await registry.database.ownership.ownerships.grant(name, owner, { actor: "test" });
}, 120_000);
afterAll(() => cleanUp.disposeAsync());

function send(path: string, method: string, body?: object): Promise<Response> {
  return host.fetch(`/npm/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

function command(...words: readonly string[]) {
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: join(host.folder, "data"),
    ...settings,
  };
  return runInProcess(words, { folder: host.folder, env });
}

const FULL = `${NAME} would have more than 100 owners, the most for one package: remove some, or make a team an owner.`;

test("npm owner add, npm access grant and the commands report a full list", async () => {
  const escaped = NAME.replace("/", "%2f");
  const document = (await (await send(`${escaped}?write=true`, "GET")).json()) as {
    readonly _rev: string;
    readonly maintainers: readonly object[];
  };
  expect(document.maintainers).toHaveLength(OWNERS_OF_NAME_MAX);
  const maintainers = [...document.maintainers, { name: "bob" }];
  const { _rev } = document;
  const byNpmOwner = await send(`${escaped}/-rev/${_rev}`, "PUT", { _id: NAME, _rev, maintainers });
  expect([byNpmOwner.status, await byNpmOwner.text()]).toEqual([
    400,
    expect.stringContaining(FULL),
  ]);
  const grant = { package: NAME, permissions: "read-write" };
  const byNpmAccess = await send("-/team/acme/builders/package", "PUT", grant);
  expect([byNpmAccess.status, await byNpmAccess.text()]).toEqual([
    400,
    expect.stringContaining(FULL),
  ]);
  const owner = await command("owner", "add", "npm", NAME, "bob");
  expect([owner.code, owner.stderr]).toEqual([
    1,
    expect.stringContaining(
      `${NAME} has 100 owners, the most for one name: remove some, or make a team an owner.`,
    ),
  ]);
  const member = await command("team", "member", "add", "builders", "bob");
  expect([member.code, member.stderr]).toEqual([
    1,
    expect.stringContaining("The team builders has 1,000 members, the most for one team."),
  ]);
  const level = await command("owner", "add", "npm", NAME, "user-1", "--level", "read");
  expect(level.stderr).toContain("user-1 has the level read");
}, 60_000);
