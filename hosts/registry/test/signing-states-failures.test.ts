import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteFile } from "@sealhouse/database/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { packageBytesOf, readSignature } from "@sealhouse/repo-signing";
import { expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { spawnHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";

// What happens when a package cannot be signed, by mode.

const STAND_IN = fileURLToPath(new URL("../src/testing/signing-mode-stand-in.ts", import.meta.url));
const MINUTE_MS = 60_000;

function providedIn(folder: string, env: Readonly<Record<string, string>> = {}) {
  return spawnHost({
    folder,
    env: {
      Signing__Mode: "StandIn",
      Host__Extensions__0: STAND_IN,
      Signing__StandIn__Folder: folder,
      ...env,
    },
  });
}

async function push(host: TestHost, id: string, version = "1.0.0"): Promise<Response> {
  const body = new Uint8Array(buildNupkg({ id, version, files: { "a.txt": "a" } }));
  const headers = { "x-nuget-apikey": await keyOf(host) };
  return host.fetch("/api/v2/package", { method: "PUT", headers, body });
}

const keys = new WeakMap<TestHost, Promise<string>>();

function keyOf(host: TestHost): Promise<string> {
  const key = keys.get(host) ?? host.makeToken({ scopes: "write" });
  keys.set(host, key);
  return key;
}

async function download(host: TestHost, id: string) {
  const lower = id.toLowerCase();
  const answer = await host.fetch(`/v3/package/${lower}/1.0.0/${lower}.1.0.0.nupkg`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const retryAfter = answer.headers.get("retry-after");
  const { kind } =
    answer.status === 200 ? await readSignature(packageBytesOf(bytes)) : { kind: undefined };
  return { status: answer.status, retryAfter, kind };
}

/** Types of the events about a package, in their order. */
function eventsOf(folder: string, id: string): readonly string[] {
  using database = openSqliteFile(join(folder, "sealhouse.db"), { readOnly: true });
  const rows = database
    .prepare("select type from events where subject = ? order by id")
    .all(`nuget/${id}@1.0.0`);
  return rows.map((row) => String((row as { readonly type: unknown }).type));
}

async function storeUnsigned(folder: string, id: string): Promise<void> {
  await using host = await spawnHost({ folder, env: { Signing__Mode: "" } });
  expect((await push(host, id)).status).toBe(201);
}

/** The certificate is valid at the start, and has less than five minutes left soon after. */
async function endingSoon(folder: string): Promise<void> {
  const notAfter = new Date(Date.now() + 5 * MINUTE_MS + 30_000);
  await writeFile(join(folder, "notAfter"), notAfter.toISOString());
}

test("self-signed: what cannot be signed is stored unsigned, and said and written down", async () => {
  await using place = await openFolder();
  await using host = await spawnHost({ folder: place.path });
  expect((await push(host, "Acme.Before")).status).toBe(201);
  await host.stop();
  const pfx = join(place.path, "packages", "certs", "repository-signing.pfx");
  await writeFile(pfx, "not a certificate");
  await using broken = await spawnHost({ folder: place.path });
  const answer = await push(broken, "Acme.Unsigned");
  expect(answer.status).toBe(201);
  expect(answer.headers.get("x-nuget-warning")).toContain("Not signed: ");
  expect(broken.output()).toMatch(/"id":"Acme.Unsigned"[^\n]*Not signed: /);
  expect(await download(broken, "Acme.Unsigned")).toMatchObject({ status: 200, kind: "none" });
  expect(eventsOf(place.path, "Acme.Unsigned")).toEqual(["package.published", "package.unsigned"]);
  await broken.stop();

  await rm(pfx);
  await using mended = await spawnHost({ folder: place.path });
  expect(await download(mended, "Acme.Unsigned")).toMatchObject({ kind: "repository" });
  expect(eventsOf(place.path, "Acme.Unsigned").at(-1)).toBe("package.signed");
});

test("provided key: stores nothing while the key service is unavailable, and clients may retry", async () => {
  await using place = await openFolder();
  await using host = await providedIn(place.path);
  await writeFile(join(place.path, "out"), "");
  const refused = await push(host, "Acme.Later");
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.get("x-nuget-warning")).toContain("the key service is out");
  expect(await refused.json()).toMatchObject({ status: 503 });
  expect(await download(host, "Acme.Later")).toMatchObject({ status: 404 });
  expect(eventsOf(place.path, "Acme.Later")).toEqual([]);
  await rm(join(place.path, "out"));
  expect((await push(host, "Acme.Later")).status).toBe(201);
  expect(await download(host, "Acme.Later")).toMatchObject({ kind: "repository" });
});

test("provided: when an operator must act nothing is stored, and the client hears why", async () => {
  await using place = await openFolder();
  await using host = await providedIn(place.path);
  await writeFile(join(place.path, "locked"), "");
  const refused = await push(host, "Acme.Refused");
  expect(refused.status).toBe(400);
  expect(refused.headers.get("retry-after")).toBeNull();
  expect(refused.headers.get("x-nuget-warning")).toContain("The key is locked.");
  expect(await download(host, "Acme.Refused")).toMatchObject({ status: 404 });
});

test("provided: five minutes before its certificate ends, the feed takes nothing more", async () => {
  await using place = await openFolder();
  await endingSoon(place.path);
  await storeUnsigned(place.path, "Acme.Old");
  await endingSoon(place.path);
  await using host = await providedIn(place.path);
  let patch = 0;
  const statusOfNext = async () => (await push(host, "Acme.Ends", `1.0.${patch++}`)).status;
  expect(await statusOfNext()).toBe(201);
  await expect.poll(statusOfNext, { timeout: 60_000, interval: 500 }).toBe(400);
  const refused = await push(host, "Acme.Ends", "2.0.0");
  expect(refused.headers.get("x-nuget-warning")).toMatch(/certificate .* ends on .* Install a new/);
  // Stored versions are still served.
  expect(await download(host, "Acme.Old")).toMatchObject({ status: 200, kind: "none" });
  expect(host.output()).toMatch(/"id":"Acme.Old"[^\n]*Not signed: /);
});

test("provided: a first download waits for the key service rather than leave unsigned", async () => {
  await using place = await openFolder();
  await storeUnsigned(place.path, "Acme.Early");
  await using host = await providedIn(place.path);
  await writeFile(join(place.path, "out"), "");
  const early = await download(host, "Acme.Early");
  expect(early).toMatchObject({ status: 503 });
  expect(Number(early.retryAfter)).toBeGreaterThan(0);
  await rm(join(place.path, "out"));
  expect(await download(host, "Acme.Early")).toMatchObject({ status: 200, kind: "repository" });
});

test.each([
  ["false", { status: 200, kind: "none" }],
  ["true", { status: 503, retryAfter: null }],
])("provided: with signatures promised (%s), what cannot be signed is %j", async (...row) => {
  const [promised, expected] = row;
  await using place = await openFolder();
  await storeUnsigned(place.path, "Acme.Early");
  await using host = await providedIn(place.path, {
    Signing__AdvertiseAllRepositorySigned: promised,
  });
  await writeFile(join(place.path, "locked"), "");
  expect(await download(host, "Acme.Early")).toMatchObject(expected);
  expect(host.output()).toMatch(/"id":"Acme.Early"[^\n]*The key is locked\./);
});

async function signingHealth(host: TestHost) {
  const json = { headers: { accept: "application/json" } };
  const answer = await host.fetch("/health", json);
  const { checks } = (await answer.json()) as {
    checks: Record<string, { status: string; description: string }>;
  };
  const gauge = /^signing_ready\{.*\} (\d)$/m.exec(await (await host.fetch("/metrics")).text());
  const { status, description } = checks["signing"] ?? {};
  return { code: answer.status, status, description, gauge: gauge?.[1] };
}

/** Requests that need no signing. */
async function expectOthersServe(host: TestHost): Promise<void> {
  expect((await host.fetch("/npm/-/ping")).status).toBe(200);
  expect((await host.fetch("/v2/")).status).toBe(401);
  expect((await host.fetch("/v3/index.json")).status).toBe(200);
}

test.each([
  ["out", 503, /it may pass by itself/, "the key service is out"],
  ["locked", 400, /an operator must act/, "The key is locked."],
])(
  "provided: a key service that is %s when the host starts is waited for",
  async (...row) => {
    const [fault, status, words, reason] = row;
    await using place = await openFolder();
    await writeFile(join(place.path, fault), "");
    await using host = await providedIn(place.path, { Signing__StandIn__TriesKey: "true" });
    await expectOthersServe(host);
    for (const id of ["Acme.One", "Acme.Two", "Acme.Three"]) {
      const refused = await push(host, id);
      expect(refused.status).toBe(status);
      expect(refused.headers.get("x-nuget-warning")).toContain(reason);
    }
    const degraded = { code: 200, status: "degraded", gauge: "0" };
    expect(await signingHealth(host)).toMatchObject(degraded);
    expect((await signingHealth(host)).description).toMatch(words);
    const lines = host.output().split("\n");
    expect(lines.filter((line) => line.includes("packages cannot be signed"))).toHaveLength(1);
    expect(host.output()).not.toMatch(/ {4}at |\\n {4}at /);

    await rm(join(place.path, fault));
    const health = async () => signingHealth(host);
    await expect
      .poll(health, { timeout: 30_000, interval: 500 })
      .toMatchObject({ code: 200, status: "healthy", gauge: "1" });
    expect((await push(host, "Acme.One")).status).toBe(201);
    expect(host.output()).toContain("packages can be signed again");

    // While it runs, too.
    await writeFile(join(place.path, fault), "");
    expect((await push(host, "Acme.Two")).status).toBe(status);
    await expect.poll(health, { timeout: 30_000, interval: 500 }).toMatchObject(degraded);
    await rm(join(place.path, fault));
    expect((await push(host, "Acme.Two")).status).toBe(201);
    await expect.poll(health, { timeout: 30_000, interval: 200 }).toMatchObject({ gauge: "1" });
  },
  120_000,
);

test("provided: an expired certificate does not stop the start, and its successor signs", async () => {
  await using place = await openFolder();
  const notAfter = join(place.path, "notAfter");
  await writeFile(notAfter, new Date(Date.now() + MINUTE_MS).toISOString());
  await using host = await providedIn(place.path);
  await expectOthersServe(host);
  const refused = await push(host, "Acme.Late");
  expect(refused.status).toBe(400);
  expect(refused.headers.get("x-nuget-warning")).toMatch(/ends on .* Install a new one/);
  expect(await signingHealth(host)).toMatchObject({ code: 200, status: "degraded", gauge: "0" });
  await rm(notAfter);
  expect((await push(host, "Acme.Late")).status).toBe(201);
  await expect
    .poll(() => signingHealth(host), { timeout: 30_000 })
    .toMatchObject({ code: 200, status: "healthy", gauge: "1" });
});
