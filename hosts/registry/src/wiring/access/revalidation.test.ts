import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openOpenIdStandIn, signInAt } from "@sealhouse/identity/testing";
import { afterEach, expect, test, vi } from "vitest";
import { createLog } from "../../log.ts";
import { openRegistry } from "../../registry.ts";
import { loadConfig } from "../../settings/load.ts";
import { runInProcess } from "../../testing/run-in-process.ts";

const ORIGIN = "http://localhost";
const GROUP = "22222222-3333-4444-5555-666666666666";
const INTERVAL_MS = 60 * 60_000;
const log = createLog({ level: "None", format: "Json" }, () => undefined);

const cleanUps: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp.disposeAsync();
});

/** A registry where Ada has signed in, with a session and a token. */
async function setUp(kind: "google" | "microsoft" = "google") {
  const callbackUrl = `${ORIGIN}/signin-${kind}`;
  const cleanUp = new AsyncDisposableStack();
  cleanUps.push(cleanUp);
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-revalidation-"));
  cleanUp.defer(() => rm(folder, { recursive: true }));
  const users = { ada: kind === "microsoft" ? { groups: [GROUP] } : {} };
  const provider = await openOpenIdStandIn({ kind, users, redirectUris: [callbackUrl] });
  cleanUp.use(provider);
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    Host__Authentication__RevalidateInterval: "01:00:00",
    ...provider.settings,
  };
  const { config } = loadConfig({ env, workingFolder: folder });
  const start = Date.now();
  let passedMs = 0;
  const now = () => new Date(start + passedMs);
  const registry = cleanUp.use(await openRegistry(config, { log, now }));
  const get = (path: string, headers: Record<string, string> = {}) =>
    registry.fetch(new Request(new URL(path, ORIGIN), { headers }));

  const begun = await get(`/sign-in/with/${kind}`);
  const page = new URL(begun.headers.get("location") ?? "");
  const callback = await signInAt(page, { login: "ada", redirectUri: callbackUrl });
  const finished = await get(callback.href, { cookie: cookieOf(begun) });
  expect(finished.status).toBe(303);
  const session = { cookie: cookieOf(finished), accept: "text/html" };
  const run = (...words: readonly string[]) => runInProcess(words, { folder, env });
  const { printed } = await run("token", "create", "--name", "laptop", "--user", "ada");
  const bearer = { authorization: `Bearer ${printed.trim()}` };
  return {
    provider,
    run,
    whoami: async () => (await get("/npm/-/whoami", bearer)).status,
    account: async () => (await get("/account", session)).status,
    after: (intervals: number) => {
      passedMs = intervals * INTERVAL_MS;
    },
  };
}

/** A check follows the request that finds it due. */
const WAIT = { timeout: 10_000 };

function cookieOf(answer: Response): string {
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  return cookies.filter((cookie) => !cookie.endsWith("=")).join("; ");
}

test("the use of a token ends the access of a user who left the directory", async () => {
  const { provider, whoami, account, after } = await setUp();
  expect(await account()).toBe(200);
  provider.setUser("ada", { isDisabled: true });
  after(0.9);
  expect([await whoami(), await whoami()]).toEqual([200, 200]);
  after(1.1);
  // The request that finds the check due does not wait for it.
  expect(await whoami()).toBe(200);
  await vi.waitFor(async () => expect(await whoami()).toBe(401), WAIT);
  expect(await account()).not.toBe(200);
});

test("a block ends session and token at the next request", async () => {
  const { run, whoami, account } = await setUp();
  expect([await whoami(), await account()]).toEqual([200, 200]);
  expect((await run("user", "block", "ada")).code).toBe(0);
  expect(await whoami()).toBe(401);
  expect(await account()).not.toBe(200);
  expect((await run("user", "unblock", "ada")).code).toBe(0);
  expect(await whoami()).toBe(200);
  expect(await account()).not.toBe(200);
});

test("a check adds a user to the team of a group, and takes it out again", async () => {
  const { provider, run, whoami, after } = await setUp("microsoft");
  expect((await run("team", "add", "web", "--group", GROUP)).code).toBe(0);
  const members = async () => {
    const { printed } = await run("team", "list", "--json");
    return (JSON.parse(printed) as { members: unknown[] }[])[0]?.members.length;
  };
  expect(await members()).toBe(0);
  after(1.1);
  expect(await whoami()).toBe(200);
  await vi.waitFor(async () => expect(await members()).toBe(1), WAIT);
  provider.setUser("ada", { groups: [] });
  after(2.2);
  expect(await whoami()).toBe(200);
  await vi.waitFor(async () => expect(await members()).toBe(0), WAIT);
});

test("a silent provider ends the access after twice the interval", async () => {
  const { provider, whoami, after } = await setUp();
  provider.answer("/token", { status: 503 });
  const asked = () => provider.requests.filter((request) => request === "POST /token").length;
  const before = asked();
  after(1.1);
  expect(await whoami()).toBe(200);
  await vi.waitFor(() => expect(asked()).toBeGreaterThan(before));
  after(1.9);
  expect(await whoami()).toBe(200);
  after(2.1);
  await vi.waitFor(async () => expect(await whoami()).toBe(401), WAIT);
});
