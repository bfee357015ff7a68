import { setTimeout as wait } from "node:timers/promises";
import { openTestPlace, leaveTestServers } from "@sealhouse/database/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { databaseSettings, startHost } from "../src/testing/index.ts";
import type { Write } from "./writes-under-way.ts";
import {
  npmWrites,
  nugetWrites,
  ociWrites,
  pushBlobs,
  sendHalf,
  startUpload,
} from "./writes-under-way.ts";

/** All requests have been authorized by then. */
const LET_IN_MS = 1_500;

// packages/database/src/every-write.database.test.ts has the refusal of each change of rows, on every
// database. Here each request passes on whose change it is.

describe("a token that is revoked", () => {
  const cleanUp = new AsyncDisposableStack();
  /** Two of one feed. */
  let hosts: readonly [TestHost, TestHost];
  let reader: string;

  beforeAll(async () => {
    cleanUp.defer(leaveTestServers);
    const { config } = cleanUp.use(await openTestPlace("PostgreSQL"));
    const env = { ...databaseSettings(config), Feed__PublicBaseUrl: "http://127.0.0.1" };
    const first = cleanUp.use(await startHost({ env }));
    hosts = [first, cleanUp.use(await startHost({ env, folder: first.folder }))];
    reader = `Bearer ${await first.makeToken({ scopes: "read,write" })}`;
    await push(first, reader, "base");
  }, 180_000);
  afterAll(() => cleanUp.disposeAsync());

  test("takes along what was made with it, on every instance", async () => {
    const [first, second] = hosts;
    const root = await makeToken(first);
    const login = await childOf(first, root.value);
    const ci = await childOf(second, login);
    const logout = await first.fetch(`/npm/-/user/token/${login}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${login}` },
    });
    expect(logout.ok).toBe(true);
    const whoami = async (value: string) => {
      const headers = { authorization: `Bearer ${value}` };
      return (await second.fetch("/npm/-/whoami", { headers })).status;
    };
    expect(await Promise.all([root.value, login, ci].map(whoami))).toEqual([200, 401, 401]);

    const other = await childOf(first, root.value);
    const made = await first.cli("token", "replace", root.id, "--json");
    const fresh = (JSON.parse(made.stdout) as { token: string }).token;
    await first.cli("token", "revoke", root.id);
    expect(await Promise.all([root.value, other, fresh].map(whoami))).toEqual([401, 200, 200]);
  });

  test("changes nothing by what it began before", { timeout: 180_000 }, async () => {
    const [first, second] = hosts;
    const { id, value } = await makeToken(first);
    const bearer = await bearerOf(first, value, "team/app");
    const image = await pushBlobs(first, bearer, "team/app");
    const [small, chunk, close, closeKnown] = await Promise.all(
      Array.from({ length: 4 }, () => startUpload(second, bearer, "team/app")),
    );
    const uploads = {
      small: small ?? "",
      chunk: chunk ?? "",
      close: close ?? "",
      closeKnown: closeKnown ?? "",
    };
    const writes: readonly Write[] = [
      ...npmWrites(`Bearer ${value}`, "base"),
      ...nugetWrites(value, "Acme.Base"),
      ...ociWrites(bearer, "team/app", { image, uploads }),
    ];
    const see = () =>
      Promise.all(writes.map(async ({ name, seen }) => [name, await seen(first, reader)]));
    const before = await settled(see);
    const halves = await Promise.all(writes.map((write) => sendHalf(second, write)));
    await wait(LET_IN_MS);
    expect((await first.cli("token", "revoke", id)).code).toBe(0);
    const answers = await Promise.all(
      halves.map(async (half) => [half.write.name, await half.finish()] as const),
    );
    for (const [name, answer] of answers) {
      expect.soft([401, 403], name).toContain(answer.status);
      expect.soft(answer.text, name).toMatch(/token (?:in use )?(?:was|has been) revoked/i);
    }
    for (const [index, after] of (await see()).entries()) expect.soft(after).toEqual(before[index]);
  });
});

describe("a body that comes too slowly", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let token: string;

  beforeAll(async () => {
    const env = { Host__BodyRate__BytesPerSecond: "1000000", Host__BodyRate__Window: "00:00:01" };
    host = cleanUp.use(await startHost({ env }));
    token = await host.makeToken({ scopes: "read,write" });
    await push(host, `Bearer ${token}`, "base");
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  test("answers 408, and stores nothing of it", { timeout: 60_000 }, async () => {
    const authorization = `Bearer ${token}`;
    const image = await pushBlobs(host, authorization, "team/app");
    const uploads = {
      small: await startUpload(host, authorization, "team/app"),
      chunk: await startUpload(host, authorization, "team/app"),
      close: await startUpload(host, authorization, "team/app"),
      closeKnown: await startUpload(host, authorization, "team/app"),
    };
    const writes: readonly Write[] = [
      ...npmWrites(authorization, "base"),
      ...nugetWrites(token, "Acme.Base"),
      ...ociWrites(authorization, "team/app", { image, uploads }),
    ];
    const see = () =>
      Promise.all(writes.map(async ({ name, seen }) => [name, await seen(host, authorization)]));
    const before = await settled(see);
    const halves = await Promise.all(writes.map((write) => sendHalf(host, write)));
    for (const { write, answer } of halves) {
      const { status, closed, text } = await answer;
      expect.soft({ status, closed }, write.name).toEqual({ status: 408, closed: true });
      expect.soft(text, write.name).toContain("1000000 bytes per second");
    }
    for (const [index, after] of (await see()).entries()) expect.soft(after).toEqual(before[index]);
    expect((await host.fetch("/health/live")).status).toBe(200);
  });

  test("accepts a complete upload within the time, however small", async () => {
    const authorization = `Bearer ${token}`;
    const tag = npmWrites(authorization, "base").find(({ name }) => name === "npm: dist-tag");
    const half = await sendHalf(host, tag as Write);
    await wait(300);
    expect((await half.finish()).status).toBe(200);
  });
});

/**
 * Consumers of events may still add to documents of what was pushed before, and a job shows the
 * signatures of npm versions a second after the start.
 */
async function settled(
  see: () => Promise<readonly (readonly string[])[]>,
): Promise<readonly (readonly string[])[]> {
  for (let seen = await see(); ;) {
    await wait(1_500);
    const next = await see();
    if (JSON.stringify(next) === JSON.stringify(seen)) return next;
    seen = next;
  }
}

async function makeToken(host: TestHost): Promise<{ readonly id: string; readonly value: string }> {
  const words = ["--name", "leaked", "--scopes", "read,write,delete", "--json"];
  const { stdout } = await host.cli("token", "create", ...words);
  const { id, token } = JSON.parse(stdout) as { id: string; token: string };
  return { id, value: token };
}

async function childOf(host: TestHost, token: string): Promise<string> {
  const answer = await host.fetch("/npm/-/npm/v1/tokens", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ password: "", name: "child" }),
  });
  const made = (await answer.json()) as { readonly token: string };
  return made.token;
}

async function bearerOf(host: TestHost, token: string, repository: string): Promise<string> {
  const authorization = `Basic ${Buffer.from(`me:${token}`).toString("base64")}`;
  const path = `/token?scope=repository:${repository}:pull,push`;
  const answer = await host.fetch(path, { headers: { authorization } });
  const { token: bearer } = (await answer.json()) as { token: string };
  return `Bearer ${bearer}`;
}

async function push(host: TestHost, authorization: string, name: string): Promise<void> {
  const published = await host.fetch(`/npm/${name}`, {
    method: "PUT",
    headers: { authorization, "content-type": "application/json" },
    body: publishBody({ name }),
  });
  expect(published.status).toBe(200);
  const nupkg = buildNupkg({ id: "Acme.Base", version: "1.0.0", files: {} });
  const headers = { authorization, "content-type": "application/octet-stream" };
  const init = { method: "PUT", headers, body: new Uint8Array(nupkg) };
  expect((await host.fetch("/api/v2/package", init)).status).toBe(201);
}
