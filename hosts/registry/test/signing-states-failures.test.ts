import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { packageBytesOf, readSignature } from "@sealhouse/repo-signing";
import { expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { startHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";

// What happens when a package cannot be signed, by mode.

const STAND_IN = fileURLToPath(new URL("../src/testing/signing-mode-stand-in.ts", import.meta.url));
const MINUTE_MS = 60_000;

function providedIn(folder: string, env: Readonly<Record<string, string>> = {}) {
  return startHost({
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
  using database = new DatabaseSync(join(folder, "sealhouse.db"), { readOnly: true });
  const rows = database
    .prepare("select type from events where subject = ? order by id")
    .all(`nuget/${id}@1.0.0`);
  return rows.map((row) => String(row["type"]));
}

async function storeUnsigned(folder: string, id: string): Promise<void> {
  await using host = await startHost({ folder, env: { Signing__Mode: "" } });
  expect((await push(host, id)).status).toBe(201);
}

/** Its certificate is good for the start, and ends within five minutes soon after. */
async function endingSoon(folder: string): Promise<void> {
  const notAfter = new Date(Date.now() + 5 * MINUTE_MS + 30_000);
  await writeFile(join(folder, "notAfter"), notAfter.toISOString());
}

test("self-signed: what cannot be signed is stored unsigned, and said and written down", async () => {
  await using place = await openFolder();
  await using host = await startHost({ folder: place.path });
  expect((await push(host, "Acme.Before")).status).toBe(201);
  await host.stop();
  const pfx = join(place.path, "packages", "certs", "repository-signing.pfx");
  await writeFile(pfx, "not a certificate");
  await using broken = await startHost({ folder: place.path });
  const answer = await push(broken, "Acme.Unsigned");
  expect(answer.status).toBe(201);
  expect(answer.headers.get("x-nuget-warning")).toContain("Not signed: ");
  expect(broken.output()).toMatch(/"id":"Acme.Unsigned"[^\n]*Not signed: /);
  expect(await download(broken, "Acme.Unsigned")).toMatchObject({ status: 200, kind: "none" });
  expect(eventsOf(place.path, "Acme.Unsigned")).toEqual(["package.published", "package.unsigned"]);
  await broken.stop();

  await rm(pfx);
  await using mended = await startHost({ folder: place.path });
  expect(await download(mended, "Acme.Unsigned")).toMatchObject({ kind: "repository" });
  expect(eventsOf(place.path, "Acme.Unsigned").at(-1)).toBe("package.signed");
});

test("provided: while the key service is out nothing is stored, and clients may retry", async () => {
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
  // What is stored is still served.
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

test("provided: a certificate that has ended stops the start", async () => {
  await using place = await openFolder();
  await writeFile(join(place.path, "notAfter"), new Date(Date.now() + MINUTE_MS).toISOString());
  await expect(providedIn(place.path)).rejects.toThrow(/ended with 78[^]*ends on/);
});
