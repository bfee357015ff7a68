import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestCommands, TEST_HOST } from "../testing/test-commands.ts";
import type { TestCommands } from "../testing/test-commands.ts";

let commands: TestCommands;
beforeEach(async () => {
  commands = await openTestCommands({ host: TEST_HOST, signIn: undefined });
});
afterEach(() => commands[Symbol.asyncDispose]());

const run = (...words: readonly string[]) => commands.run(...words);

async function runJson(...words: readonly string[]): Promise<unknown> {
  return JSON.parse((await run(...words, "--json")).printed);
}

test("user adds, lists, blocks and unblocks people", async () => {
  expect((await run("user", "list")).stderr).toContain("sealhouse user add");
  await run("user", "add", "root", "--role", "administrator");
  const added = { handle: "ada", displayName: "Ada", role: "consumer", state: "active" };
  expect(await runJson("user", "add", "ada", "--name", "Ada")).toMatchObject(added);
  expect((await run("user", "role", "ada", "publisher")).stderr).toBe(
    "ada has the role publisher.",
  );
  expect((await run("user", "role", "ada", "groups")).stderr).toContain(
    "Groups of the provider decide about the role of ada again.",
  );
  await run("user", "block", "ada", "--reason", "She left.");
  expect(await runJson("user", "list")).toMatchObject([
    { handle: "ada", role: "publisher", state: "blocked", reason: "She left." },
    { handle: "root", role: "administrator", state: "active" },
  ]);
  await run("user", "unblock", "ada");
  expect((await run("user", "list")).printed).toMatch(/^ada {2}publisher {2}active {2}Ada/);
});

test("user forget-passkeys removes the lost passkeys of one user", async () => {
  await run("user", "add", "ada");
  await run("user", "add", "bob");
  await using database = await commands.open();
  for (const handle of ["ada", "bob"]) {
    const person = await database.people.find(handle);
    await database.passkeys.add(
      {
        credentialId: handle,
        userId: person?.id ?? "",
        rpId: "packages.example",
        publicKey: new Uint8Array([1]),
        counter: 0,
        isBackedUp: false,
        transports: [],
        name: "Laptop",
        createdAt: new Date(),
      },
      { actor: handle },
    );
  }
  const forget = async () => (await run("user", "forget-passkeys", "ada")).stderr;
  expect(await forget()).toBe("ada has no passkeys now; removed: 1.");
  expect(await forget()).toBe("ada has no passkeys now; removed: 0.");
  const bob = await database.people.find("bob");
  expect(await database.passkeys.list(bob?.id ?? "")).toHaveLength(1);
});

test("user approve revives who is suspended, and block and unblock keep who waits", async () => {
  await run("user", "add", "ada");
  expect((await run("user", "list")).printed).toMatch(/ {2}gets no mail: no usable address$/);
  await setState("ada", "suspended");
  expect((await run("user", "approve", "ada")).stderr).toBe("ada is approved.");
  expect(await runJson("user", "list")).toMatchObject([{ state: "active" }]);
  await setState("ada", "pending");
  await run("user", "block", "ada");
  expect(await runJson("user", "block", "ada")).toMatchObject({ state: "blocked" });
  expect((await run("user", "unblock", "ada")).stderr).toBe(
    "ada is no longer blocked, and pending as before. Approve the user: sealhouse user approve",
  );
  expect(await runJson("user", "list")).toMatchObject([{ state: "pending" }]);
});

test("team and account list their members and teams", async () => {
  await run("user", "add", "ada");
  await run("team", "add", "web", "--name", "The web", "--group", "g-1");
  await run("team", "member", "add", "web", "ada", "--level", "manager");
  await run("team", "rename", "web", "Web people");
  expect((await run("team", "list")).printed).toBe("web  Web people  group g-1  ada (manager)");
  await run("team", "group", "web", "g-2");
  expect((await run("team", "list")).printed).toContain("group g-2");
  expect((await run("team", "group", "web")).stderr).toContain("The team web has no group.");
  await run("team", "member", "remove", "web", "ada");
  expect((await run("team", "list")).printed).toMatch(/no members$/);
  await run("account", "add", "deploy", "--team", "web");
  await run("account", "block", "deploy");
  expect((await run("account", "list")).printed).toBe("deploy  blocked  team web");
  await run("account", "unblock", "deploy");
  expect(await runJson("account", "list")).toMatchObject([{ name: "deploy", state: "active" }]);
});

test("a token of a user or account has its owner and no more scopes than its role", async () => {
  await run("user", "add", "ada");
  await run("account", "add", "deploy");
  const create = ["token", "create", "--name", "laptop"];
  expect(await runJson(...create, "--user", "ada")).toMatchObject({ owner: "ada" });
  const writes = ["--scopes", "read,write"];
  expect(await runJson(...create, ...writes, "--account", "deploy")).toMatchObject({
    owner: "deploy",
  });
  const refused = await run(...create, ...writes, "--user", "ada");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("the role consumer of ada does not include write");
});

/** None of these changes what the next one finds. */
const REFUSALS: readonly (readonly [readonly string[], RegExp])[] = [
  [["user", "add", "admin"], /"admin" is reserved/],
  [["user", "add", "Ada"], /"Ada" is not a handle/],
  [["user", "add", "web"], /"web" is taken/],
  [["user", "add", "bob", "--role", "boss"], /must be one of: consumer, publisher, administrator/],
  [["user", "role", "none", "publisher"], /There is no user "none"/],
  [["user", "role", "root", "consumer"], /the last active administrator/],
  [["user", "block", "root"], /the last active administrator/],
  [["user", "unblock", "gone"], /gone is suspended/],
  [["team", "add", "root"], /"root" is taken/],
  [["team", "add", "api", "--group", "Web people"], /"Web people" is not the slug of a team/],
  [["team", "group", "web", "Web people"], /"Web people" is not the slug of a team/],
  [["team", "member", "add", "none", "root"], /There is no team "none"/],
  [["team", "member", "remove", "web", "root"], /not a member/],
  [["account", "add", "web"], /"web" is taken/],
  [["account", "block", "none"], /There is no service account "none"/],
  [["token", "create", "--name", "x", "--user", "none"], /There is no user "none"/],
  [["token", "create", "--name", "x", "--user", "gone"], /The user gone is suspended/],
  [["token", "create", "--name", "x", "--account", "none"], /no service account "none"/],
];

test("commands explain what they refuse", async () => {
  await run("user", "add", "root", "--role", "administrator");
  await run("user", "add", "gone");
  await setState("gone", "suspended");
  await run("team", "add", "web");
  for (const [words, reason] of REFUSALS) {
    const { code, stderr } = await run(...words);
    expect.soft(code, words.join(" ")).toBe(1);
    expect.soft(stderr, words.join(" ")).toMatch(reason);
  }
});

/** Sets a state as a sign-in or a check of the membership does. */
async function setState(handle: string, state: "suspended" | "pending"): Promise<void> {
  await using database = await commands.open();
  const person = await database.people.find(handle);
  await database.people.setState(person?.id ?? "", { state }, { actor: "system" });
}
