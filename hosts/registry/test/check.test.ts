import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildImage, sendAs } from "@sealhouse/oci-distribution/testing";
import type { Send } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
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
  host = cleanUp.use(await startHost({ env: { Feed__Oci__Default__Enabled: "true" } }));
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
  const found = all.filter((path) => path.includes(`oci/blobs/sha256/${hex.slice(0, 2)}/${hex}.`));
  expect(found).toHaveLength(1);
  return join(host.folder, found[0] ?? "");
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
  expect(stderr).toContain(`Rows: 3 blobs, ${total} bytes (blob_bytes_stored).`);
  expect(stderr).toContain("Read and whole: 3 blobs, 1 manifests read.");
  expect(code).toBe(0);
  const metrics = async () => (await host.fetch("/metrics")).text();
  const expected = new RegExp(`^blob_bytes_stored\\{.*type="oci"\\} ${total}$`, "m");
  await expect.poll(metrics, SUMS).toMatch(expected);
});

test("alarms about a missing and a changed object, until the image is pushed again", async () => {
  const [, first, second] = blobs.map((blob) => blob.digest);
  await rm(await objectOf(first ?? ""));
  await writeFile(await objectOf(second ?? ""), `another lAyer: ${MUCH}`);

  const plain = await host.cli("oci", "check");
  expect(plain.code).toBe(1);
  expect(plain.stdout).toBe(`missing  ${first}  in app\n`);
  expect(plain.stderr).toContain("NOT what the rows say");
  expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);

  const scrub = await host.cli("oci", "check", "--scrub", "--not-since", "0", "--json");
  expect(scrub.code).toBe(1);
  expect(JSON.parse(scrub.stdout)).toMatchObject({
    sound: false,
    damaged: 2,
    findings: [
      { digest: first, problem: "missing" },
      { digest: second, problem: "digest", repositories: ["app"] },
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

test("refuses what it does not understand", async () => {
  const { code, stderr } = await host.cli("oci", "check", "--scrub", "--not-since", "soon");
  expect(code).toBe(1);
  expect(stderr).toContain("--not-since soon");
  expect((await host.cli("oci", "check", "--rate", "fast")).stderr).toContain("--rate fast");
});
