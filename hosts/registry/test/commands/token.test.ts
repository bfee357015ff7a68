import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { deriveToken, principalOf } from "@sealhouse/identity";
import { createTestRandom, TEST_PEPPER, tokenRecord } from "@sealhouse/identity/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runInProcess } from "../../src/testing/run-in-process.ts";

let folder = "";
const env = () => ({
  ASPNETCORE_ENVIRONMENT: "Development",
  Host__DataPath: folder,
  Host__TokenHashPepper: TEST_PEPPER,
});
const run = (...words: readonly string[]) =>
  runInProcess(["token", ...words], { folder, env: env() });
const path = () => join(folder, "sealhouse.db");
const open = () => openDatabase({ type: "Sqlite", path: path() }, { migrate: false });
const by = { actor: "test" };

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

async function create(...options: readonly string[]): Promise<Shown> {
  const { printed, stderr } = await run("create", "--json", ...options);
  if (printed === "") throw new Error(stderr);
  return JSON.parse(printed) as Shown;
}

async function names(...options: readonly string[]): Promise<readonly unknown[]> {
  const { printed } = await run("list", "--json", ...options);
  return (JSON.parse(printed) as readonly Shown[]).map(({ name }) => name);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-token-"));
  await create("--name", "first");
  for (const words of ["user add alice --role publisher", "account add builds"]) {
    const { code, stderr } = await runInProcess(words.split(" "), { folder, env: env() });
    if (code !== 0) throw new Error(stderr);
  }
});
afterAll(() => rm(folder, { recursive: true }));

test("creates tokens of users and service accounts, and lists them by their holders", async () => {
  const laptop = await create("--name", "laptop", "--user", "alice", "--expires", "20d");
  expect(laptop).toMatchObject({ owner: "alice", holder: "user alice" });
  const ci = await create("--name", "ci", "--account", "builds", "--expires", "40d");
  expect(ci).toMatchObject({ owner: "builds", holder: "service account builds" });
  await run("revoke", ci.id);
  expect(await names("--user", "alice")).toEqual(["laptop"]);
  expect(await names("--account", "builds")).toEqual(["ci"]);
  expect(await names("--owner", "alice")).toEqual(["laptop"]);
  expect(await names("--state", "revoked")).toEqual(["ci"]);
  expect(await names("--expires-within", "30d")).toEqual(["laptop"]);
  expect(await names("--unused", "--state", "active")).toEqual(["first", "laptop"]);
  const { printed } = await run("list", "--user", "alice");
  expect(printed).toContain(`${laptop.id}  active  read  laptop`);
  expect(printed).toContain("user alice");
});

test.each([
  [["create", "--name", "x", "--user", "bob"], "There is no user"],
  [["create", "--name", "x", "--user", "alice", "--account", "builds"], "belongs to one of them"],
  [["create", "--name", "x", "--user", "alice", "--scopes", "admin"], "does not include admin"],
  [["list", "--state", "gone"], "--state must be one of: active"],
  [["revoke", ""], "<id> is missing."],
  [["replace", "no-such-id"], "There is no token no-such-id."],
])("refuses %j", async (words, reason) => {
  const { code, stderr } = await run(...words);
  expect(code).toBe(1);
  expect(stderr).toContain(reason);
});

test("a revocation prints every token that it ends, and a dry run prints the same", async () => {
  const parent = await create("--name", "parent", "--scopes", "read,write");
  await using database = await open();
  const stored = await database.tokens.findById(parent.id);
  if (!stored) throw new Error("the token is missing");
  const making = { pepper: TEST_PEPPER, now: new Date(), random: createTestRandom(7) };
  const { record: child } = deriveToken(principalOf(stored), { name: "child" }, making);
  await database.tokens.insert(child, by);
  const planned = await run("revoke", parent.id, "--dry-run");
  expect(planned.printed.split("\n").map((line) => line.slice(0, 36))).toEqual([
    parent.id,
    child.id,
  ]);
  expect(planned.stderr).toBe("Would revoke 2 tokens; nothing was changed.");
  expect(await names("--state", "active")).toContain("child");
  const revoked = await run("revoke", parent.id);
  expect(revoked.stderr).toContain("is revoked, with all tokens made with it:");
  expect(revoked.printed).toBe(planned.printed.replaceAll("  active  ", "  revoked  "));
  const again = JSON.parse((await run("revoke", parent.id, "--json")).printed) as unknown;
  expect(again).toEqual({ id: parent.id, outcome: "unchanged", revoked: [] });
});

test("replaces a token with the same limits and holder; both work until one is revoked", async () => {
  const limits = ["--scopes", "read,write", "--protocols", "npm", "--patterns", "@acme/*"];
  const old = await create("--name", "deploy", "--user", "alice", ...limits);
  const fresh = JSON.parse((await run("replace", old.id, "--json")).printed) as Shown;
  const same = ["name", "scopes", "protocols", "patterns", "networks", "owner", "userId"] as const;
  for (const field of same) expect([field, fresh[field]]).toEqual([field, old[field]]);
  expect(fresh).toMatchObject({ replaces: old.id, state: "active", holder: "user alice" });
  expect(await names("--owner", "alice", "--state", "active")).toEqual([
    "laptop",
    "deploy",
    "deploy",
  ]);
  await using database = await open();
  const events = await database.events.outbox.pending("test", 1_000);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "token.replaced",
      subject: `token/${old.id}`,
      detail: { replacement: fresh.id },
    }),
  );
});

test("a reported token is listed and cannot be replaced", async () => {
  await using database = await open();
  const token = tokenRecord({ name: "leaked" });
  await database.tokens.insert(token, by);
  await database.tokens.reportLeak(token.id, { at: new Date() }, by);
  expect(await names("--leaked")).toEqual(["leaked"]);
  const { code, stderr } = await run("replace", token.id);
  expect(code).toBe(1);
  expect(stderr).toContain("was reported as leaked");
});
