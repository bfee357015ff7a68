import { readdir, rm, utimes, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { buildImage, sendAs } from "@sealhouse/oci-distribution/testing";
import type { Send } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";

/** Too much to be kept with its row. */
const MUCH = "much ".repeat(5_000);
const layers = [`a layer: ${MUCH}`, `another layer: ${MUCH}`];
const { blobs, digest, mediaType, bytes } = buildImage({ layers });
const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());
let host: TestHost;
let send: Send;

beforeAll(async () => {
  host = cleanUp.use(await spawnHost({ env: { Feed__Oci__Default__Enabled: "true" } }));
  const password = await host.makeToken({ name: "ci", scopes: "read,write" });
  const registry = new URL(host.url);
  send = sendAs({ registry, credentials: { type: "basic", username: "ci", password } });
});

async function push(): Promise<void> {
  for (const blob of blobs) {
    const url = `/v2/app/blobs/uploads/?digest=${blob.digest}`;
    const headers = { "content-type": "application/octet-stream" };
    const init = { method: "POST", headers, body: Buffer.from(blob.bytes) };
    expect((await send(url, init)).status).toBe(201);
  }
  const headers = { "content-type": mediaType };
  const put = { method: "PUT", headers, body: Buffer.from(bytes) };
  expect((await send("/v2/app/manifests/1", put)).status).toBe(201);
}

async function objectOf(blob: string): Promise<string> {
  const hex = blob.slice("sha256:".length);
  const all = await readdir(host.folder, { recursive: true });
  const paths = all.filter((path) => path.includes(`oci/blobs/sha256/${hex.slice(0, 2)}/${hex}.`));
  expect(paths).toHaveLength(1);
  return join(host.folder, paths[0] ?? "");
}

async function statusOf(blob: string | undefined): Promise<number> {
  return (await send(`/v2/app/blobs/${blob}`, { method: "HEAD" })).status;
}

/** The host caches sums for some seconds. */
const SUMS = { timeout: 30_000 };

test("says that all is well, and what blob_bytes_stored is", async () => {
  await push();
  const { code, stderr, stdout } = await host.cli("oci", "check", "--scrub");
  const total = blobs.reduce((sum, blob) => sum + blob.bytes.length, 0);
  expect(stdout).toBe("");
  const both = `3 blobs of ${total} bytes in the database, 3 of ${total} bytes stored`;
  expect(stderr).toContain(`oci: ${both}, 3 read and verified, 0 damaged`);
  expect(stderr).toContain("Image manifests read: 1.");
  expect(code).toBe(0);
  const metrics = async () => (await host.fetch("/metrics")).text();
  const expected = new RegExp(`^blob_bytes_stored\\{.*type="oci"\\} ${total}$`, "m");
  await expect.poll(metrics, SUMS).toMatch(expected);
});

test("alarms about a missing and a changed object, until a new push of the image", async () => {
  const [, first, second] = blobs.map((blob) => blob.digest);
  await rm(await objectOf(first ?? ""));
  await writeFile(await objectOf(second ?? ""), `another lAyer: ${MUCH}`);

  const plain = await host.cli("oci", "check");
  expect(plain.code).toBe(1);
  expect(plain.stdout).toBe(`missing  oci  ${first}  in app\n`);
  expect(plain.stderr).toContain("differs from the database");
  expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);

  const scrub = await host.cli("oci", "check", "--scrub", "--not-since", "0", "--json");
  expect(scrub.code).toBe(1);
  expect(JSON.parse(scrub.stdout)).toMatchObject({
    sound: false,
    protocols: { oci: { damaged: 2 } },
    findings: [
      { digest: first, problem: "missing" },
      { digest: second, problem: "digest", namedBy: ["app"] },
    ],
  });
  expect([await statusOf(first), await statusOf(second)]).toEqual([404, 404]);
  const metrics = async () => (await host.fetch("/metrics")).text();
  await expect.poll(metrics, SUMS).toContain('type="oci"} 2');
  const report = (await (await host.fetch("/health/feeds")).json()) as { surfaces: object[] };
  expect(report.surfaces).toContainEqual(expect.objectContaining({ status: "degraded" }));

  await push();
  expect((await send(`/v2/app/manifests/${digest}`)).status).toBe(200);
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
  const { code, stdout } = await host.cli("oci", "check", "--scrub", "--not-since", "0");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});

test("lists the files of a killed host, and deletes them once they are an hour old", async () => {
  await using killed = await spawnHost({ env: { Feed__Oci__Default__Enabled: "true" } });
  const token = await killed.makeToken({ scopes: "read,write" });
  const half = Buffer.alloc(4_000_000, "half");
  const length = { "content-length": "8000000" };
  const bearer = { authorization: `Bearer ${token}` };
  const basic = { authorization: `Basic ${Buffer.from(`ci:${token}`).toString("base64")}` };
  const json = { ...bearer, "content-type": "application/json" };
  for (const [method, path, headers] of [
    ["PUT", "/api/v2/package/", { "x-nuget-apikey": token }],
    ["PUT", "/npm/half", json],
    ["POST", `/v2/half/blobs/uploads/?digest=sha256:${"a".repeat(64)}`, basic],
  ] as const) {
    const started = request(new URL(path, killed.url), {
      method,
      headers: { ...headers, ...length },
    });
    started.on("error", () => undefined);
    if (path.startsWith("/npm")) started.write('{"_attachments":{"half-1.0.0.tgz":{"data":"');
    started.write(half);
  }
  const store = join(killed.folder, "packages");
  const incoming = join(store, ".incoming");
  const count = 3;
  const received = async () => (await readdir(incoming)).length;
  await expect.poll(received, { timeout: 30_000 }).toBe(count);
  await killed.kill();

  const young = await killed.cli("check");
  expect(young.stderr).toContain("Found files of killed processes: 0, 0 bytes.");
  const past = new Date(Date.now() - 61 * 60_000);
  for (const name of await readdir(incoming)) await utimes(join(incoming, name), past, past);
  const old = await killed.cli("check");
  expect(old.code).toBe(1);
  expect(old.stderr).toContain(`Found files of killed processes: ${count}, `);
  const names = (await readdir(incoming)).toSorted();
  const listed = [
    ...old.stdout.matchAll(/^leftover {2}\.incoming\/(\S+) {2}\d+ bytes {2}written/gm),
  ];
  expect(listed.map(([, name = ""]) => name).toSorted()).toEqual(names);
  const repaired = await killed.cli("check", "--apply");
  expect(repaired.code).toBe(0);
  expect(repaired.stderr).toContain(`Deleted files of killed processes: ${count}, `);
  expect(await readdir(incoming)).toEqual([]);
  expect((await killed.cli("check")).code).toBe(0);
});

test("refuses what it does not understand", async () => {
  const { code, stderr } = await host.cli("oci", "check", "--scrub", "--not-since", "soon");
  expect(code).toBe(1);
  expect(stderr).toContain("--not-since soon");
  expect((await host.cli("oci", "check", "--rate", "fast")).stderr).toContain("--rate must be");
  const unknown = await host.cli("check", "--protocol", "npm,maven");
  expect(unknown.stderr).toContain("--protocol must be one of: nuget, npm, oci.");
});
