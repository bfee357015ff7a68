import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { buildTarball } from "@sealhouse/npm-protocol/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestHost } from "./testing/index.ts";
import { startHost } from "./testing/index.ts";

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
let token: string;

beforeAll(async () => {
  host = cleanUp.use(await startHost());
  token = await host.makeToken({ scopes: "read,write" });
});
afterAll(() => cleanUp.disposeAsync());

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
if (!hasPromtool) {
  process.stderr.write("\nSKIPPED: promtool (Debian package prometheus) is not on the PATH\n\n");
}

/** The log line of a request. */
function lineOf(id: string): Record<string, unknown> | undefined {
  const line = host.output().match(new RegExp(`^.*"id":"${id}","method".*$`, "m"))?.[0];
  return line === undefined ? undefined : (JSON.parse(line) as Record<string, unknown>);
}

async function jsonOf(answer: Response): Promise<Record<string, unknown>> {
  return (await answer.json()) as Record<string, unknown>;
}

test("lists a pushed NuGet package and returns it signed", async () => {
  const nupkg = buildNupkg({ id: "Acme.Smoke", version: "1.0.0", files: { "a.txt": "a" } });
  const push = () =>
    host.fetch("/api/v2/package/", {
      method: "PUT",
      headers: { "x-nuget-apikey": token },
      body: new Uint8Array(nupkg),
    });
  const pushed = await push();
  expect([pushed.status, await pushed.text()]).toEqual([201, ""]);
  const again = await push();
  expect(again.status).toBe(409);
  expect(again.statusText).toMatch(/already exists/);
  expect(again.headers.get("x-nuget-warning")).toMatch(/Acme.Smoke 1.0.0/);
  const index = await host.fetch("/v3/registration-gz-semver2/acme.smoke/index.json");
  expect(await index.text()).toContain(`${host.url}/v3/package/acme.smoke/1.0.0/`);
  const file = await host.fetch("/v3/package/acme.smoke/1.0.0/acme.smoke.1.0.0.nupkg");
  const served = Buffer.from(await file.arrayBuffer());
  expect(served.includes(".signature.p7s")).toBe(true);
  const signatures = await jsonOf(await host.fetch("/v3/repository-signatures/index.json"));
  expect(signatures).toMatchObject({ allRepositorySigned: false, signingCertificates: [{}] });
});

test("a published npm package installs from where the client reached us", async () => {
  const manifest = { name: "@acme/smoke", version: "1.0.0" };
  const tarball = buildTarball({ manifest, files: { "index.js": "1" } });
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const body = {
    _id: manifest.name,
    name: manifest.name,
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { ...manifest, dist: { integrity } } },
    _attachments: {
      "@acme/smoke-1.0.0.tgz": {
        content_type: "application/octet-stream",
        data: tarball.toString("base64"),
        length: tarball.length,
      },
    },
  };
  const published = await host.fetch("/npm/@acme%2fsmoke", {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect([published.status, await published.text()]).toEqual([200, expect.any(String)]);
  for (let read = 0; read < 2; read += 1) {
    const packument = await host.fetch("/npm/@acme%2fsmoke");
    expect(packument.status).toBe(200);
    expect(packument.headers.get("content-length")).not.toBeNull();
    const { versions } = (await packument.json()) as {
      versions: Record<string, { dist: { tarball: string } }>;
    };
    const address = versions["1.0.0"]?.dist.tarball ?? "";
    expect(address).toBe(`${host.url}/npm/@acme/smoke/-/smoke-1.0.0.tgz`);
    const file = await host.fetch(new URL(address).pathname);
    expect(Buffer.from(await file.arrayBuffer()).equals(tarball)).toBe(true);
  }
});

test("pushes an image with a bearer token and pulls it without one", async () => {
  const basic = `Basic ${Buffer.from(`me:${token}`).toString("base64")}`;
  const scope = "scope=repository:team/app:pull,push&service=default";
  const tokenAnswer = await jsonOf(
    await host.fetch(`/token?${scope}`, { headers: { authorization: basic } }),
  );
  const authorization = `Bearer ${String(tokenAnswer["token"])}`;
  const config = Buffer.from("{}");
  const digest = `sha256:${createHash("sha256").update(config).digest("hex")}`;
  const blob = await host.fetch(`/v2/team/app/blobs/uploads/?digest=${digest}`, {
    method: "POST",
    headers: { authorization, "content-type": "application/octet-stream" },
    body: config,
  });
  expect([blob.status, await blob.text()]).toEqual([201, ""]);
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType,
    config: { mediaType: "application/vnd.oci.empty.v1+json", digest, size: config.length },
    layers: [],
  });
  const put = await host.fetch("/v2/team/app/manifests/1.0", {
    method: "PUT",
    headers: { authorization, "content-type": mediaType },
    body: manifest,
  });
  expect([put.status, await put.text()]).toEqual([201, ""]);
  const pulled = await host.fetch("/v2/team/app/manifests/1.0", {
    headers: { accept: mediaType },
  });
  expect([pulled.status, await pulled.text()]).toEqual([200, manifest]);
  const metrics = await (await host.fetch("/metrics")).text();
  for (const type of ["nuget", "npm", "oci"]) {
    expect(metrics).toMatch(new RegExp(`feed_push_total{feed="default",type="${type}"} [1-9]`));
    expect(metrics).toMatch(new RegExp(`feed_pull_total{feed="default",type="${type}"} [1-9]`));
  }
  expect(metrics).toContain('blob_bytes_stored{feed="default",type="oci"} 2');
});

test("a person gets pages, a program gets JSON", async () => {
  const page = await host.fetch("/", { headers: { accept: "text/html" } });
  expect(await page.text()).toContain(`${host.url}/v3/index.json`);
  const lost = await host.fetch("/nowhere", { headers: { accept: "text/html" } });
  expect(lost.status).toBe(404);
  expect(lost.headers.get("content-type")).toMatch(/^text\/html/);
  const program = await host.fetch("/nowhere", { headers: { accept: "application/json" } });
  expect(program.status).toBe(404);
  expect(await jsonOf(program)).toEqual({ error: "There is nothing at /nowhere." });
});

test("makes and revokes tokens while the host runs; a revoked one fails at once", async () => {
  const made = await host.cli("token", "create", "--name", "ci", "--scopes", "write", "--json");
  const { id, token: value } = JSON.parse(made.stdout) as { id: string; token: string };
  const whoami = () =>
    host.fetch("/npm/-/whoami", { headers: { authorization: `Bearer ${value}` } });
  expect((await whoami()).status).not.toBe(401);
  const listed = await host.cli("token", "list", "--json");
  expect(listed.stdout).toContain(id);
  expect(listed.stdout).not.toContain(value);
  const revoked = await host.cli("token", "revoke", id.slice(0, 8));
  expect(revoked.code).toBe(0);
  expect((await whoami()).status).toBe(401);
  expect((await host.cli("token", "list")).stdout).toMatch(/revoked {2}write {2}ci/);
});

test("what happened is in the log with a request id, without any secret", async () => {
  const answer = await host.fetch("/api/v2/package/", {
    method: "PUT",
    headers: { "x-nuget-apikey": token, "x-request-id": "trace-42" },
    body: "no zip",
  });
  expect(answer.status).toBe(400);
  expect(answer.headers.get("x-request-id")).toBe("trace-42");
  await expect.poll(() => lineOf("trace-42")).toBeDefined();
  const { tokenId, ...line } = lineOf("trace-42") ?? {};
  expect(tokenId).toMatch(/^\w+/);
  expect(line).toEqual({
    time: expect.any(String) as string,
    level: "info",
    id: "trace-42",
    method: "PUT",
    path: "/api/v2/package/",
    status: 400,
    ms: expect.any(Number) as number,
    bytes: expect.any(Number) as number,
    address: "127.0.0.1",
    reason: expect.stringContaining("The file is not a zip archive") as string,
    msg: "PUT /api/v2/package/ 400",
  });
  expect(line["bytes"]).toBeGreaterThan(100);
  expect(host.output()).not.toContain(token.slice(12));
});

test.each([
  { id: "npm-1", path: "/npm/demo", body: "{", status: 400, reason: /./ },
  {
    id: "npm-2",
    path: "/npm/-/package/absent/dist-tags/beta",
    body: '"1.0.0"',
    status: 404,
    reason: /absent/,
  },
  { id: "oci-1", path: "/v2/demo/manifests/1", body: "{}", status: 400, reason: /./ },
])("the log has the reason for refusing PUT $path", async ({ id, path, body, status, reason }) => {
  const type = path.startsWith("/v2")
    ? "application/vnd.oci.image.manifest.v1+json"
    : "application/json";
  const answer = await host.fetch(path, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": type, "x-request-id": id },
    body,
  });
  expect(answer.status).toBe(status);
  await expect.poll(() => lineOf(id)).toMatchObject({ status, method: "PUT", path });
  expect(lineOf(id)?.["reason"]).toMatch(reason);
});

test("metrics count requests, durations and bytes by surface and status class", async () => {
  await host.fetch("/v3/index.json");
  await host.fetch("/npm/-/ping");
  await host.fetch("/v2/absent/manifests/1");
  const read = async () => (await host.fetch("/metrics")).text();
  await expect.poll(read).toMatch(/http_requests_total{surface="nuget",status="2xx"} [1-9]/);
  const text = await read();
  expect(text).toMatch(/http_requests_total{surface="npm",status="2xx"} [1-9]/);
  expect(text).toMatch(/http_requests_total{surface="oci",status="4xx"} [1-9]/);
  expect(text).toMatch(/http_response_bytes_total{surface="nuget",status="2xx"} \d{3,}/);
  const bucket = /seconds_bucket{surface="nuget",status="2xx",le="\+Inf"} (\d+)/.exec(text)?.[1];
  const count = /seconds_count{surface="nuget",status="2xx"} (\d+)/.exec(text)?.[1];
  expect(bucket).toBe(count);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.]+/m);
  for (const name of ["feed_push_total", "feed_pull_total", "blob_bytes_stored"]) {
    const labels = [...text.matchAll(new RegExp(`^${name}{(.*)} `, "gm"))].map(
      ([, label]) => label,
    );
    expect(labels.length).toBeGreaterThan(0);
    for (const label of labels) expect(label).toMatch(/^feed="\w+",type="\w+"$/);
  }
});

test.skipIf(!hasPromtool)("promtool check metrics has nothing to say", async () => {
  const input = await (await host.fetch("/metrics")).text();
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
    input,
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("the data folder follows the settings, and only its owner can read the pepper", async () => {
  const names = await readdir(host.folder);
  expect(names).toEqual(
    expect.arrayContaining([
      "dataprotection-keys",
      "packages",
      "sealhouse.db",
      "token-hash-pepper",
    ]),
  );
  const certificates = await readdir(join(host.folder, "packages", "certs"));
  expect(certificates).toEqual(["repository-signing.pfx"]);
});

test("it stops by itself when asked to, with exit code 0", async () => {
  await using other = await startHost();
  expect(await other.stop()).toBe(0);
  expect(other.output()).toMatch(/"msg":"stopped"/);
});
