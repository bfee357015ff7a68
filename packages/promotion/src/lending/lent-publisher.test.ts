import { expect, test } from "vitest";
import { createScriptedTarget, openScripted } from "../release/scripted-target.test.support.ts";
import { createTarget } from "../target/create-target.ts";
import type { LentCredentials, TargetCredentials } from "../model/publish-target.ts";
import type { ExchangedKey } from "./exchange-id-token.ts";
import { keepLoans } from "./lend.ts";
import { lentKeysInMemory, openLentKeys } from "./lent-keys.ts";
import { isLent, lentPublisher } from "./lent-publisher.ts";

const MINUTE_MS = 60_000;
const CONTINUE = "sealhouse release resume r1 --lend npm=VARIABLE";
const plainRing = {
  protect: (purpose: string, bytes: Uint8Array) =>
    Buffer.from(`${purpose}\n${Buffer.from(bytes).toString()}`),
  async unprotect(purpose: string, bytes: Uint8Array) {
    const text = Buffer.from(bytes).toString();
    if (!text.startsWith(`${purpose}\n`)) throw new Error("another purpose");
    return Buffer.from(text.slice(purpose.length + 1));
  },
};

/** A release of two packages to a target whose key a pipeline lends. */
function openLent(kind: LentCredentials["kind"], credentials: Partial<LentCredentials> = {}) {
  const lent: LentCredentials = { type: "lent", kind, ...credentials };
  const endpoint = "https://npm.example/";
  const target = createTarget({ name: "npm", protocol: "npm", endpoint, credentials: lent });
  if (!isLent(target)) throw new Error("its key is not lent");
  const scripted = createScriptedTarget("npm");
  const opened = openScripted([{ ...scripted, target }]);
  const now = () => new Date(opened.clock.now);
  const keys = openLentKeys(lentKeysInMemory(now), plainRing);
  const used: (TargetCredentials | undefined)[] = [];
  const exchanges: string[] = [];
  const answers: ExchangedKey[] = [];
  const parts = {
    release: "r1",
    keys,
    exchange: async ({ idToken, name }: { readonly idToken: string; readonly name: string }) => {
      exchanges.push(`${idToken} ${name}`);
      const expiresAt = new Date(opened.clock.now + 15 * MINUTE_MS);
      return (
        answers.shift() ?? { status: "exchanged" as const, secret: `key of ${name}`, expiresAt }
      );
    },
    open: (at: typeof target | Parameters<typeof isLent>[0]) => {
      if (!isLent(at)) used.push(at.credentials);
      return scripted.publisher;
    },
  };
  const release = { ...opened.parts, publisherOf: () => lentPublisher(target, parts) };
  const lend = (secret: string) =>
    keepLoans(keys, "r1", { loans: [{ target: "NPM", secret }], now: now() });
  return { ...opened, scripted, keys, used, exchanges, answers, release, lend };
}

test("exchanges an ID token once for each package, for this release alone", async () => {
  const { open, run, found, release, lend, used, exchanges, keys } = openLent("id-token");
  await lend("job");
  await open();
  await run(release);
  expect((await found()).state).toBe("released");
  expect(exchanges).toEqual(["job a", "job b"]);
  const tokens = used.map((credentials) => (credentials as { readonly token: string }).token);
  expect([...new Set(tokens)]).toEqual(["key of a", "key of b"]);
  expect(await keys.find({ release: "r2", target: "npm", name: "" })).toBeUndefined();
});

test.each([
  [undefined, { type: "bearer", token: "short" }],
  ["AWS", { type: "basic", username: "AWS", password: "short" }],
])("uses a lent key unchanged, with the user name %s", async (username, credentials) => {
  const given = username === undefined ? {} : { username };
  const { open, run, found, release, lend, used } = openLent("key", given);
  await lend("short");
  await open();
  await run(release);
  expect((await found()).state).toBe("released");
  expect(used[0]).toEqual(credentials);
});

test("a release without a key fails before the first byte, and names the command", async () => {
  const { open, run, found, release, lend, scripted, releases } = openLent("id-token");
  await open();
  await run(release);
  const { state, reason } = await found();
  expect([state, reason]).toEqual(["failed", expect.stringContaining(CONTINUE)]);
  expect([scripted.sends, scripted.carried.size]).toEqual([0, 0]);
  await lend("job");
  await releases.control.resume("r1", { actor: "ci" });
  await run(release);
  expect((await found()).state).toBe("released");
});

test("a key that expires during a release stops it until another is lent", async () => {
  const { open, run, found, release, lend, scripted, clock, paused } = openLent("key");
  scripted.answers.push({ status: "done" }, { status: "failed", reason: "503" });
  await lend("short");
  await open("syndication");
  await run(release);
  expect((await found()).state).toBe("publishing");
  clock.now += 61 * MINUTE_MS;
  await run(release);
  const waiting = await found();
  expect([waiting.state, waiting.reason]).toEqual([
    "publishing",
    expect.stringContaining(CONTINUE),
  ]);
  expect([scripted.sends, paused.size]).toEqual([1, 0]);
  await lend("other");
  clock.now = waiting.nextAt?.getTime() ?? 0;
  await run(release);
  expect((await found()).state).toBe("released");
  expect(scripted.sends).toBe(2);
});

test("a key that the target refuses is dropped, and the target is not paused", async () => {
  const { open, run, found, release, lend, scripted, keys, paused } = openLent("key");
  scripted.answers.push({ status: "unauthorized", reason: "revoked" });
  await lend("short");
  await open("syndication");
  await run(release);
  expect((await found()).reason).toMatch(/needs another key of a pipeline: a 1\.0\.0: revoked/);
  expect(await keys.find({ release: "r1", target: "npm", name: "" })).toBeUndefined();
  expect(paused.size).toBe(0);
});

test("an ID token that the target refuses is not offered again", async () => {
  const { open, run, found, release, lend, exchanges, answers } = openLent("id-token");
  answers.push({ status: "unauthorized", reason: "the token was used before" });
  await lend("job");
  await open();
  await run(release);
  expect((await found()).reason).toContain("the token was used before");
  expect(exchanges).toEqual(["job a"]);
});
