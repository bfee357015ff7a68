import { setTimeout as wait } from "node:timers/promises";
import { openTestPlace, stopTestCluster } from "@sealhouse/database/testing";
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
const SCOPES = ["--scopes", "read,write,delete"];

describe("on two hosts of one database", () => {
  const cleanUp = new AsyncDisposableStack();
  let hosts: readonly [TestHost, TestHost];
  let reader: string;

  beforeAll(async () => {
    cleanUp.defer(stopTestCluster);
    const { config } = cleanUp.use(await openTestPlace("PostgreSQL"));
    const env = {
      ...databaseSettings(config),
      Feed__PublicBaseUrl: "http://127.0.0.1",
      // Each user may publish each name.
      Host__Access__Owners: "off",
    };
    const first = cleanUp.use(await startHost({ env }));
    hosts = [first, cleanUp.use(await startHost({ env, folder: first.folder }))];
    reader = `Bearer ${await first.makeToken({ scopes: "read,write" })}`;
    await publish(first, reader, "base");
    const nupkg = buildNupkg({ id: "Acme.Base", version: "1.0.0", files: {} });
    const headers = { authorization: reader, "content-type": "application/octet-stream" };
    const init = { method: "PUT", headers, body: new Uint8Array(nupkg) };
    expect((await first.fetch("/api/v2/package", init)).status).toBe(201);
  }, 180_000);
  afterAll(() => cleanUp.disposeAsync());

  async function run(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await hosts[0].cli(...words);
    expect(code, stderr).toBe(0);
    return stdout.trim();
  }

  async function tokenOf(...holder: readonly string[]): Promise<string> {
    return run("token", "create", "--name", "laptop", ...SCOPES, ...holder);
  }

  /** The statuses of both hosts. */
  const onBoth = (ask: (host: TestHost) => Promise<Response>) =>
    Promise.all(hosts.map(async (host) => (await ask(host)).status));

  test("a block ends token, image token and refresh token at the next request", async () => {
    await run("user", "add", "ada", "--role", "publisher");
    const token = await tokenOf("--user", "ada");
    const { bearer, refreshToken } = await logIn(hosts[1], token);
    const seen = async () => ({
      token: await onBoth((host) => host.fetch("/npm/-/whoami", bearing(token))),
      bearer: await onBoth((host) => host.fetch("/v2/", bearing(bearer))),
      refreshToken: await onBoth((host) => refresh(host, refreshToken)),
    });
    expect(await seen()).toEqual({
      token: [200, 200],
      bearer: [200, 200],
      refreshToken: [200, 200],
    });
    await run("user", "block", "ada");
    expect(await seen()).toEqual({
      token: [401, 401],
      bearer: [401, 401],
      refreshToken: [401, 401],
    });
    await run("user", "unblock", "ada");
    expect(await seen()).toEqual({
      token: [200, 200],
      bearer: [200, 200],
      refreshToken: [401, 401],
    });
  });

  test("a block of a service account ends its token", async () => {
    await run("account", "add", "deploy");
    const token = await tokenOf("--account", "deploy");
    const whoami = () => onBoth((host) => host.fetch("/npm/-/whoami", bearing(token)));
    expect(await whoami()).toEqual([200, 200]);
    await run("account", "block", "deploy");
    expect(await whoami()).toEqual([401, 401]);
  });

  test("a token of a demoted user reads only", async () => {
    await run("user", "add", "bob", "--role", "publisher");
    const token = await tokenOf("--user", "bob");
    const [first, second] = hosts;
    const { bearer } = await logIn(first, token);
    expect((await publish(second, `Bearer ${token}`, "bobs-first")).status).toBe(200);
    // The host authorizes other requests again after it has read their body.
    const isCommitted = ({ name }: Write) => /publish|dist-tag/.test(name);
    const writes = npmWrites(`Bearer ${token}`, "bobs-first").filter(isCommitted);
    expect(writes.length).toBeGreaterThan(1);
    const halves = await Promise.all(writes.map((write) => sendHalf(second, write)));
    await wait(LET_IN_MS);
    await run("user", "role", "bob", "consumer");
    for (const half of halves) {
      const { status, text } = await half.finish();
      expect.soft([401, 403], half.write.name).toContain(status);
      expect.soft(text, half.write.name).toMatch(/the role of the user changed/i);
    }
    for (const [index, host] of hosts.entries()) {
      expect((await publish(host, `Bearer ${token}`, `bobs-other-${index}`)).status).toBe(403);
      const upload = await host.fetch("/v2/team/app/blobs/uploads/", {
        method: "POST",
        ...bearing(bearer),
      });
      expect([401, 403]).toContain(upload.status);
    }
    expect(await onBoth((host) => host.fetch("/npm/base", bearing(token)))).toEqual([200, 200]);
  });

  test("a user who is blocked during a push publishes nothing", { timeout: 180_000 }, async () => {
    const [first, second] = hosts;
    await run("user", "add", "eve", "--role", "publisher");
    const token = await tokenOf("--user", "eve");
    const { bearer } = await logIn(first, token);
    const authorization = `Bearer ${bearer}`;
    const image = await pushBlobs(first, authorization, "team/app");
    const start = () => startUpload(second, authorization, "team/app");
    const uploads = {
      small: await start(),
      chunk: await start(),
      close: await start(),
      closeKnown: await start(),
    };
    const writes: readonly Write[] = [
      ...npmWrites(`Bearer ${token}`, "base"),
      ...nugetWrites(token, "Acme.Base"),
      ...ociWrites(authorization, "team/app", { image, uploads }),
    ];
    const see = () =>
      Promise.all(writes.map(async ({ name, seen }) => [name, await seen(first, reader)]));
    await wait(LET_IN_MS);
    const before = await see();
    const halves = await Promise.all(writes.map((write) => sendHalf(second, write)));
    await wait(LET_IN_MS);
    await run("user", "block", "eve");
    for (const half of halves) {
      const { status, text } = await half.finish();
      expect.soft([401, 403], half.write.name).toContain(status);
      expect.soft(text, half.write.name).toMatch(/blocked/i);
    }
    for (const [index, after] of (await see()).entries()) {
      expect.soft(after).toEqual(before[index]);
    }
  });
});

function bearing(token: string) {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** Signs in like `docker login`. */
async function logIn(host: TestHost, token: string) {
  const authorization = `Basic ${Buffer.from(`ada:${token}`).toString("base64")}`;
  const scope = "repository:team/app:pull,push";
  const path = `/token?offline_token=true&client_id=docker&scope=${scope}`;
  const answer = await host.fetch(path, { headers: { authorization } });
  const made = (await answer.json()) as { token: string; refresh_token: string };
  return { bearer: made.token, refreshToken: made.refresh_token };
}

function refresh(host: TestHost, refreshToken: string): Promise<Response> {
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
  return host.fetch("/token", { method: "POST", body });
}

function publish(host: TestHost, authorization: string, name: string): Promise<Response> {
  return host.fetch(`/npm/${name}`, {
    method: "PUT",
    headers: { authorization, "content-type": "application/json" },
    body: publishBody({ name }),
  });
}
