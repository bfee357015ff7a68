import { setTimeout as wait } from "node:timers/promises";
import { openTestPlace, leaveTestServers } from "@sealhouse/database/testing";
import { openIdTokenIssuerStandIn, openOpenIdStandIn } from "@sealhouse/identity/testing";
import type { IdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { databaseSettings, startHost } from "../src/testing/index.ts";
import { signInOver } from "./sign-in/moving-browser.ts";
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
const HOME = "http://127.0.0.1";
const OURS = "https://feed.test";
const RUN = {
  repository: "acme/demo",
  repository_id: "7",
  repository_owner_id: "1",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
};
const SCOPES = ["--scopes", "read,write,delete"];

describe("on two hosts of one database", () => {
  const cleanUp = new AsyncDisposableStack();
  let hosts: readonly [TestHost, TestHost];
  let reader: string;
  let issuer: IdTokenIssuerStandIn;

  beforeAll(async () => {
    cleanUp.defer(leaveTestServers);
    const { config } = cleanUp.use(await openTestPlace("PostgreSQL"));
    issuer = cleanUp.use(await openIdTokenIssuerStandIn());
    issuer.serve(RUN);
    const provider = cleanUp.use(
      await openOpenIdStandIn({
        kind: "microsoft",
        users: { carol: {} },
        redirectUris: [`${HOME}/signin-microsoft`],
      }),
    );
    const env = {
      ...databaseSettings(config),
      ...provider.settings,
      Feed__PublicBaseUrl: HOME,
      Feed__Npm__TrustedPublishing__GitHub__Issuer: issuer.issuer,
      Host__OutgoingRequests__AllowPrivateAddresses: "true",
      Host__TrustedPublishing__Audiences__0: OURS,
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

  test("a sign-out everywhere and a block end all sessions on both hosts", async () => {
    const signIn = () => signInOver(hosts, { login: "carol", home: HOME });
    const [laptop, phone] = [await signIn(), await signIn()];
    const seen = async () => ({
      laptop: await onBoth((host) => laptop.get(host, "/account")),
      phone: await onBoth((host) => phone.get(host, "/account")),
    });
    expect(await seen()).toEqual({ laptop: [200, 200], phone: [200, 200] });
    const everywhere = "/account/sign-out-everywhere";
    expect((await laptop.submit(hosts[1], "/account", everywhere)).status).toBe(303);
    expect(await seen()).toEqual({ laptop: [303, 303], phone: [303, 303] });
    const other = await signIn();
    expect(await onBoth((host) => other.get(host, "/account"))).toEqual([200, 200]);
    await run("user", "block", "carol");
    expect(await onBoth((host) => other.get(host, "/account"))).toEqual([303, 303]);
    await expect(signIn()).rejects.toThrow(/403[^]*Your account is blocked/);
  });

  test("a report of a leaked token ends it on both hosts", async () => {
    const token = await hosts[0].makeToken({ name: "leaked", scopes: "read" });
    const whoami = () => onBoth((host) => host.fetch("/npm/-/whoami", bearing(token)));
    const report = async (host: TestHost) => {
      const body = JSON.stringify([{ token, type: "x", url: "https://x.example", source: "y" }]);
      const headers = { "content-type": "application/json" };
      const answer = await host.fetch("/api/v1/leaked-tokens", { method: "POST", headers, body });
      return [answer.status, await answer.json()];
    };
    expect(await whoami()).toEqual([200, 200]);
    const isGood = [200, [expect.objectContaining({ label: "true_positive" })]];
    expect(await report(hosts[1])).toEqual(isGood);
    expect(await whoami()).toEqual([401, 401]);
    expect(await report(hosts[0])).toEqual(isGood);
    const events: unknown = JSON.parse(
      await run("audit", "list", "--json", "--type", "token.leaked"),
    );
    expect(events).toHaveLength(1);
  });

  test("an ID token gives one valid token, also at the other host", async () => {
    const job = ["--provider", "github", "--repo", "acme/demo", "--file", "publish.yml"];
    await run("pipeline", "add", "Built.*", ...job, "--protocols", "nuget", "--may-create");
    await run("pipeline", "add", "built/**", ...job, "--protocols", "oci", "--may-create");
    const [packages, images] = [issuer.token(OURS), issuer.token(OURS)];
    const exchange = async (host: TestHost, idToken = packages) => {
      const headers = { ...bearing(idToken).headers, "content-type": "application/json" };
      const body = '{"username":"ci","tokenType":"ApiKey"}';
      const answer = await host.fetch("/api/v2/token", { method: "POST", headers, body });
      const { apiKey = "" } = (await answer.json()) as { readonly apiKey?: string };
      return { status: answer.status, apiKey };
    };
    const push = (key: string) =>
      onBoth((host) =>
        host.fetch("/api/v2/package", {
          method: "PUT",
          headers: { "x-nuget-apikey": key, "content-type": "application/octet-stream" },
          body: "no package",
        }),
      );
    const keys = [];
    for (const host of [...hosts, ...hosts]) keys.push((await exchange(host)).apiKey);
    const pushed = [];
    for (const key of keys) pushed.push(await push(key));
    expect(pushed).toEqual([
      [403, 403],
      [403, 403],
      [403, 403],
      [400, 400],
    ]);
    const both = await Promise.all(hosts.map((host) => exchange(host)));
    const valid = await Promise.all(both.map(async ({ apiKey }) => (await push(apiKey))[0]));
    expect(new Set(valid)).toEqual(new Set([400, 403]));
    const bearers = await Promise.all(hosts.map((host) => logIn(host, images, "built/app")));
    for (const { bearer } of bearers) {
      expect(await onBoth((host) => host.fetch("/v2/", bearing(bearer)))).toEqual([200, 200]);
    }
    expect((await exchange(hosts[0], images)).status).toBe(401);
    const tokens = JSON.parse(await run("token", "list", "--json")) as readonly {
      readonly name: string;
    }[];
    const made = tokens.filter(({ name }) => name.startsWith("publish "));
    expect(made).toHaveLength(2);
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
    // One of each protocol: revoked-under-way.database.test.ts has every request.
    const writes: readonly Write[] = [
      ...npmWrites(`Bearer ${token}`, "base"),
      ...nugetWrites(token, "Acme.Base"),
      ...ociWrites(authorization, "team/app", { image, uploads }),
    ].filter(({ name }) => /^(?:npm: publish|nuget: push|oci: manifest)$/.test(name));
    expect(writes).toHaveLength(3);
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
async function logIn(host: TestHost, token: string, repository = "team/app") {
  const authorization = `Basic ${Buffer.from(`ada:${token}`).toString("base64")}`;
  const scope = `repository:${repository}:pull,push`;
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
