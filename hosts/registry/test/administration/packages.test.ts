import { publishBody } from "@sealhouse/npm-protocol/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { buildImage, sendAs } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";

const API = "/api/admin/v1";
const JSON_TYPE = { "content-type": "application/json" };
const CLEAN_UP = new AsyncDisposableStack();
let host: TestHost;
let token = "";

beforeAll(async () => {
  const env = { Feed__Oci__Default__Enabled: "true", PackageDeletionBehavior: "HardDelete" };
  host = CLEAN_UP.use(await startHost({ env }));
  token = await host.makeToken({ name: "ada", scopes: "read,write,delete,admin" });
});
afterAll(() => CLEAN_UP.disposeAsync());

type Sent = { readonly status: number; readonly body: Record<string, unknown> };

async function call(method: string, path: string, body?: object): Promise<Sent> {
  const answer = await host.fetch(`${API}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "if-match": "*", ...(body && JSON_TYPE) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Asks for a long action, and waits for the end of its job. */
async function finished(method: string, path: string, body?: object): Promise<unknown> {
  const { status, body: started } = await call(method, path, body);
  expect([status, started]).toEqual([202, { job: expect.any(String) }]);
  const job = async () => (await call("GET", `/jobs/${String(started["job"])}`)).body;
  await expect.poll(async () => (await job())["state"], { timeout: 20_000 }).not.toBe("running");
  return job();
}

function client(method: string, path: string, body?: object): Promise<Response> {
  return host.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "x-nuget-apikey": token,
      ...(body && JSON_TYPE),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function publishNuget(id: string): Promise<void> {
  const body = buildNupkg({ id, version: "1.0.0", files: { "a.txt": "a" } });
  const headers = { "x-nuget-apikey": token };
  const answer = await host.fetch("/api/v2/package/", { method: "PUT", headers, body });
  expect(answer.status).toBe(201);
}

async function publishNpm(name: string, dependencies: Record<string, string> = {}): Promise<void> {
  const body = publishBody({ name, version: "1.0.0", manifest: { dependencies } });
  const headers = { authorization: `Bearer ${token}`, ...JSON_TYPE };
  const answer = await host.fetch(`/npm/${name.replace("/", "%2f")}`, {
    method: "PUT",
    headers,
    body,
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
}

async function publishImage(name: string): Promise<string> {
  const { blobs, bytes, digest, mediaType } = buildImage({ layers: [`layer of ${name}`] });
  const credentials = { type: "basic", username: "ada", password: token } as const;
  const send = sendAs({ registry: new URL(host.url), credentials });
  for (const blob of blobs) {
    const url = `/v2/${name}/blobs/uploads/?digest=${blob.digest}`;
    const headers = { "content-type": "application/octet-stream" };
    await send(url, { method: "POST", headers, body: Buffer.from(blob.bytes) });
  }
  for (const tag of ["1", "2"]) {
    const init = {
      method: "PUT",
      headers: { "content-type": mediaType },
      body: Buffer.from(bytes),
    };
    expect((await send(`/v2/${name}/manifests/${tag}`, init)).status).toBe(201);
  }
  return digest;
}

/** Fields of events that depend on the bytes, which have the name. */
const OF_CONTENT = /"(size|sha256|servedSha256|contentHash|integrity|digest)":(?:\d+|"[^"]*")/g;

/** The changes of a name, with the name replaced, and without who made them. */
async function changesOf(name: string): Promise<readonly string[]> {
  const { stdout } = await host.cli("audit", "list", "--json", "--limit", "500");
  const records = JSON.parse(stdout) as Record<string, unknown>[];
  return records
    .filter(({ subject }) => String(subject).toLowerCase().includes(name.toLowerCase()))
    .map(({ type, subject, detail }) =>
      JSON.stringify([type, subject, detail])
        .replaceAll(new RegExp(name, "gi"), "NAME")
        .replaceAll(OF_CONTENT, '"$1":0'),
    )
    .toReversed();
}

/** One change, by the client of the protocol, by the API and by a command. */
type Ways = {
  readonly publish: (name: string) => Promise<unknown>;
  readonly client: (name: string) => Promise<Response>;
  readonly api: (name: string) => Promise<Sent>;
  readonly command: (name: string) => readonly string[];
};

const deprecation = { reasons: ["Legacy"], message: "Use another." };
const CHANGES: Readonly<Record<string, Ways>> = {
  "nuget deprecation": {
    publish: publishNuget,
    client: (id) => client("PUT", `/api/v2/package/${id}/deprecations`, deprecation),
    api: (id) => call("PUT", `/packages/nuget/${id}/deprecation`, deprecation),
    command: (id) => ["deprecate", id, "--reasons", "Legacy", "--message", "Use another."],
  },
  "nuget deletion": {
    publish: publishNuget,
    client: (id) => client("DELETE", `/api/v2/package/${id}/1.0.0`),
    api: (id) => call("DELETE", `/packages/nuget/${id}/versions/1.0`),
    command: (id) => ["delete", id, "1.0"],
  },
  "npm deprecation": {
    publish: publishNpm,
    async client(name) {
      const document = (await (await host.fetch(`/npm/${name}?write=true`)).json()) as {
        readonly versions: Readonly<Record<string, object>>;
      };
      const versions = Object.entries(document.versions).map(([version, manifest]) => [
        version,
        { ...manifest, deprecated: "Use another." },
      ]);
      return client("PUT", `/npm/${name}`, {
        ...document,
        versions: Object.fromEntries(versions) as object,
      });
    },
    api: (name) => call("PUT", `/packages/npm/${name}/deprecation`, { message: "Use another." }),
    command: (name) => ["deprecate-npm", name, "1.0.0", "--message", "Use another."],
  },
  "npm deletion": {
    publish: publishNpm,
    async client(name) {
      const { _rev: revision } = (await (await host.fetch(`/npm/${name}?write=true`)).json()) as {
        readonly _rev: string;
      };
      return client("DELETE", `/npm/${name}/-rev/${revision}`);
    },
    api: (name) => call("DELETE", `/packages/npm/${name}/versions/1.0.0`),
    command: (name) => ["delete", name, "1.0.0", "--protocol", "npm"],
  },
  "deletion of a tag": {
    publish: publishImage,
    client: (name) => client("DELETE", `/v2/${name}/manifests/1`),
    api: (name) => call("DELETE", `/packages/oci/${name}/versions/1`),
    command: (name) => ["delete", name, "1", "--protocol", "oci"],
  },
};

describe.each(Object.entries(CHANGES))("%s", (title, ways) => {
  test("writes the same event by its client, by the API and by a command", async () => {
    const [ofClient, ofApi, ofCommand] = ["client", "api", "command"].map(
      (way) => `${title.replaceAll(" ", "-")}-${way}`,
    ) as [string, string, string];
    for (const name of [ofClient, ofApi, ofCommand]) await ways.publish(name);
    const before = await changesOf(ofClient);
    const answer = await ways.client(ofClient);
    expect([answer.ok, answer.status]).toEqual([true, expect.any(Number)]);
    const sent = await ways.api(ofApi);
    expect([sent.status, sent.body]).toEqual([200, expect.anything()]);
    const { code, stderr } = await host.cli("package", ...ways.command(ofCommand));
    expect([code, stderr]).toEqual([0, expect.anything()]);
    const expected = await changesOf(ofClient);
    expect(expected.length).toBeGreaterThan(before.length);
    expect(await changesOf(ofApi)).toEqual(expected);
    expect(await changesOf(ofCommand)).toEqual(expected);
  });
});

test("a NuGet version is unlisted and listed again, as its client does", async () => {
  await publishNuget("Listed");
  const set = (listed: boolean) =>
    call("PUT", "/packages/nuget/Listed/versions/1.0.0/listing", { listed });
  expect((await set(false)).body).toEqual({ name: "listed", version: "1.0.0", listed: false });
  const shown = async () => (await host.fetch("/v3/registration-semver2/listed/index.json")).text();
  expect(await shown()).toContain('"listed":false');
  expect((await host.cli("package", "relist", "listed", "1.0.0")).code).toBe(0);
  expect(await shown()).toContain('"listed":true');
});

test("the deletion of a name counts what uses it, and deletes all of it", async () => {
  await publishNpm("used");
  await publishNpm("user", { used: "^1.0.0" });
  const plan = await call("DELETE", "/packages/npm/used?dry-run=true");
  expect(plan.body).toEqual({
    protocol: "npm",
    name: "used",
    versions: 1,
    deleted: 0,
    kept: [],
    dependents: { count: 1, names: ["user"] },
    targets: [],
  });
  expect((await host.fetch("/npm/used")).status).toBe(200);
  expect(await finished("DELETE", "/packages/npm/used")).toMatchObject({
    state: "done",
    result: { deleted: 1 },
  });
  expect((await host.fetch("/npm/used")).status).toBe(404);
  expect((await call("DELETE", "/packages/npm/used?dry-run=true")).status).toBe(404);

  const digest = await publishImage("team/gone");
  expect(await finished("DELETE", "/packages/oci/team%2Fgone")).toMatchObject({
    state: "done",
    result: { versions: 2, deleted: 2, kept: [] },
  });
  expect((await client("GET", "/v2/team/gone/manifests/1")).status).toBe(404);
  expect((await client("GET", `/v2/team/gone/manifests/${digest}`)).status).toBe(200);

  await publishNuget("Gone");
  expect(await finished("DELETE", "/packages/nuget/GONE")).toMatchObject({
    state: "done",
    result: { name: "gone", deleted: 1 },
  });
  const { body } = await call("GET", "/packages/nuget/gone/tombstones");
  expect(body).toMatchObject({ items: [{ id: "Gone", version: "1.0.0", deletedBy: "ada" }] });
});

test("a held image is not deleted, and the hold is in the audit log", async () => {
  const digest = await publishImage("held");
  const hold = `/images/holds/${encodeURIComponent(digest)}`;
  expect((await call("PUT", hold, { until: "90d" })).status).toBe(200);
  const version = `/packages/oci/held/versions/${encodeURIComponent(digest)}`;
  expect(await call("DELETE", version)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("is held") },
  });
  expect((await call("DELETE", hold)).status).toBe(200);
  expect((await call("DELETE", version)).status).toBe(200);
  const changes = await changesOf(digest);
  expect(changes.filter((change) => change.includes("hold.changed"))).toHaveLength(2);
});
