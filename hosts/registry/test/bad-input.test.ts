import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { HostProcess } from "../src/testing/index.ts";
import { spawnHost } from "../src/testing/index.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "./artifacts.ts";
import { expectTraces, tracesOf } from "./traces.ts";

const LIMIT = 4_000_000;
const cleanUp = new AsyncDisposableStack();
let host: HostProcess;
let token: string;

beforeAll(async () => {
  host = cleanUp.use(
    await spawnHost({
      env: {
        Feed__NuGet__MaxPackageBytes: String(LIMIT),
        Feed__Npm__MaxTarballBytes: String(LIMIT),
        Feed__Oci__Default__MaxBlobBytes: String(LIMIT),
      },
    }),
  );
  token = await host.makeToken({ scopes: "read,write,delete" });
  // One good artifact each, so that everything that is opened late is open before we count.
  const content = randomBytes(1_000);
  for (const artifact of [
    nugetArtifact("Good.One", content),
    npmArtifact("good-one", content),
    ociArtifact("good/one", content),
  ]) {
    expect(await artifact.push(host, token)).toBe(true);
    expect(await artifact.check(host)).toBe("whole");
  }
});
afterAll(() => cleanUp.disposeAsync());

type Bad = {
  readonly what: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly status: number;
  /** Part of the body or of the warning header: the protocol's own words. */
  readonly says: RegExp;
  readonly anonymous?: boolean;
};

const zeros = "0".repeat(64);
const digestOf = (bytes: Uint8Array | string): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

const nuget = (what: string, body: Uint8Array | string, status: number, says: RegExp): Bad => ({
  what: `nuget: ${what}`,
  method: "PUT",
  path: "/api/v2/package/",
  headers: { "content-type": "application/octet-stream" },
  body,
  status,
  says,
});
const npm = (what: string, body: string, status: number, says: RegExp): Bad => ({
  what: `npm: ${what}`,
  method: "PUT",
  path: "/npm/bad-one",
  headers: { "content-type": "application/json" },
  body,
  status,
  says,
});

const packument = (changes: object, data = "aGVsbG8=", length = 5): string =>
  JSON.stringify({
    _id: "bad-one",
    name: "bad-one",
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { name: "bad-one", version: "1.0.0" } },
    _attachments: {
      "bad-one-1.0.0.tgz": { content_type: "application/octet-stream", data, length },
    },
    ...changes,
  });

const whole = buildNupkg({ id: "Bad.One", version: "1.0.0", files: { "a.txt": "a" } });
const bomb = buildNupkg({
  id: "Bad.One",
  version: "1.0.0",
  files: { "zeros.bin": new Uint8Array(80_000_000) },
});
const slip = buildNupkg({
  id: "Bad.One",
  version: "1.0.0",
  files: { "../../evil.txt": "x" },
});

const cases: readonly Bad[] = [
  nuget("not a zip", "this is no archive", 400, /zip|archive/i),
  nuget("truncated zip", whole.subarray(0, whole.length - 30), 400, /zip|archive|central|end/i),
  nuget("zip-slip", slip, 400, /evil|path|entry/i),
  nuget("a bomb that inflates to 80 MB", bomb, 400, /unpack to 80\d+ bytes/),
  nuget("more than the limit", randomBytes(LIMIT + 1), 413, /4,?000,?000|large|limit/),
  nuget("empty body", "", 400, /./),
  {
    ...nuget("wrong token", whole, 403, /./),
    anonymous: true,
    headers: { "x-nuget-apikey": "shp_wrong", "content-type": "application/octet-stream" },
  },
  { ...nuget("no token", whole, 401, /./), anonymous: true },
  { what: "nuget: unknown package", path: "/v3/package/nobody/index.json", status: 404, says: /^/ },
  {
    what: "nuget: unknown version",
    path: "/v3/package/good.one/9.9.9/good.one.9.9.9.nupkg",
    status: 404,
    says: /^/,
  },
  { what: "host: unknown feed", path: "/health/feeds/nobody", status: 404, says: /nobody|feed/ },
  npm("not JSON", "{ not json", 400, /"error"/),
  npm("cut-off JSON", packument({}).slice(0, -20), 400, /"error"/),
  npm("broken base64", packument({}, "!!!not base64!!!"), 400, /base64/i),
  npm("length that lies", packument({}, "aGVsbG8=", 99), 422, /length|bytes/i),
  npm("attachment that is no tarball", packument({}), 422, /gzip|tar/i),
  npm(
    "more than the limit",
    packument({}, randomBytes(LIMIT + 1).toString("base64"), LIMIT + 1),
    413,
    /"error"/,
  ),
  npm("another name inside", packument({ name: "other" }), 400, /other.*bad-one/),
  npm("two versions", packument({ versions: { "1.0.0": {}, "2.0.0": {} } }), 400, /version/i),
  { what: "npm: unknown package", path: "/npm/nobody", status: 404, says: /"error"/ },
  { ...npm("no token", packument({}), 401, /"error"/), anonymous: true },
  {
    what: "oci: wrong digest",
    method: "POST",
    path: `/v2/bad/one/blobs/uploads/?digest=sha256:${zeros}`,
    body: "layer",
    status: 400,
    says: /DIGEST_INVALID/,
  },
  {
    what: "oci: more than the limit",
    method: "POST",
    path: `/v2/bad/one/blobs/uploads/?digest=sha256:${zeros}`,
    body: randomBytes(LIMIT + 1),
    status: 413,
    says: /SIZE_INVALID|BLOB_UPLOAD_INVALID/,
  },
  {
    what: "oci: malformed digest",
    path: "/v2/good/one/blobs/sha256:xyz",
    status: 400,
    says: /DIGEST_INVALID/,
  },
  {
    what: "oci: unknown blob",
    path: `/v2/good/one/blobs/sha256:${zeros}`,
    status: 404,
    says: /BLOB_UNKNOWN/,
  },
  {
    what: "oci: manifest that is no JSON",
    method: "PUT",
    path: "/v2/bad/one/manifests/1.0",
    headers: { "content-type": "application/vnd.oci.image.manifest.v1+json" },
    body: "not json",
    status: 400,
    says: /MANIFEST_INVALID/,
  },
  {
    what: "oci: manifest of blobs that are not there",
    method: "PUT",
    path: "/v2/bad/one/manifests/1.0",
    headers: { "content-type": "application/vnd.oci.image.manifest.v1+json" },
    body: JSON.stringify({
      schemaVersion: 2,
      config: { mediaType: "application/json", digest: digestOf("no"), size: 2 },
      layers: [],
    }),
    status: 404,
    says: /MANIFEST_BLOB_UNKNOWN/,
  },
  {
    what: "oci: name outside the grammar",
    path: "/v2/Good/manifests/1.0",
    status: 400,
    says: /NAME_INVALID/,
  },
  { what: "oci: no credentials", path: "/v2/", status: 401, says: /UNAUTHORIZED/, anonymous: true },
];

test.each(cases)("$what answers $status and leaves nothing", async (bad) => {
  const before = await tracesOf(host);
  const answer = await host.fetch(bad.path, {
    method: bad.method ?? "GET",
    headers: { ...(bad.anonymous !== true && credentials(bad.path)), ...bad.headers },
    ...(bad.body !== undefined && { body: bad.body }),
  });
  const text = `${await answer.text()} ${answer.headers.get("x-nuget-warning") ?? ""}`;
  expect(answer.status, text).toBe(bad.status);
  expect(text).toMatch(bad.says);
  await expectTraces(host, before);
});

test.each([
  ["nuget", "PUT", "/api/v2/package/", "application/octet-stream"],
  ["npm", "PUT", "/npm/hung-up", "application/json"],
  ["oci", "POST", `/v2/hung/up/blobs/uploads/?digest=sha256:${zeros}`, "application/octet-stream"],
])("%s: a client that hangs up half-way leaves nothing", async (_, method, path, type) => {
  const before = await tracesOf(host);
  for (let n = 0; n < 5; n += 1) {
    await hangUp(method, path, { ...credentials(path), "content-type": type });
  }
  await expectTraces(host, before);
  expect((await host.fetch("/health")).status).toBe(200);
});

function credentials(path: string): Record<string, string> {
  if (path.startsWith("/api/")) return { "x-nuget-apikey": token };
  if (path.startsWith("/npm/")) return { authorization: `Bearer ${token}` };
  return { authorization: `Basic ${Buffer.from(`t:${token}`).toString("base64")}` };
}

/** Sends half of what it announced, then breaks the connection. */
async function hangUp(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const sent = request(`${host.url}${path}`, {
    method,
    headers: { ...headers, "content-length": "2000000" },
  });
  sent.on("error", () => undefined);
  sent.write(randomBytes(500_000));
  await delay(50);
  sent.destroy();
}
