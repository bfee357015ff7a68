import { openScriptedFeed } from "@sealhouse/upstream-sources/testing";
import type { ScriptedFeed } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { startHost } from "../../src/testing/index.ts";
import { addSources } from "./add-source.ts";
import { imageOf } from "./mirror-host.ts";
import { openScriptedImages } from "./scripted-images.ts";
import type { ScriptedImages } from "./scripted-images.ts";
import { openScriptedRegistry } from "./scripted-npm.ts";
import type { Packument, ScriptedRegistry } from "./scripted-npm.ts";

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
let npm: ScriptedRegistry;
let nuget: ScriptedFeed;
let foreign: ScriptedFeed;
let images: ScriptedImages;

beforeAll(async () => {
  npm = cleanUp.use(await openScriptedRegistry());
  nuget = cleanUp.use(await openScriptedFeed());
  foreign = cleanUp.use(await openScriptedFeed());
  images = cleanUp.use(await openScriptedImages());
  const env = { Signing__Mode: "", Feed__Oci__Default__Enabled: "true" };
  host = cleanUp.use(await startHost({ env }));
  const settings = { revalidateAfterMs: 300, negativeForMs: 100 };
  await addSources(host, [
    { name: "npm", protocol: "npm", url: npm.url, settings },
    {
      name: "nuget",
      protocol: "nuget",
      url: nuget.url.href,
      settings: { ...settings, deny: ["Away"] },
    },
    {
      name: "foreign",
      protocol: "nuget",
      url: foreign.url.href,
      settings: { ...settings, allow: ["Away"] },
    },
    { name: "images", protocol: "oci", url: images.url, settings },
  ]);
});
afterAll(() => cleanUp.disposeAsync());

async function packumentOf(name: string): Promise<Packument> {
  const response = await host.fetch(`/npm/${name}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Packument;
}

test("shows no version that names another package", async () => {
  npm.publish("renamed", "1.0.0", "1.1.0");
  npm.change("renamed", ({ versions }) => {
    if (versions["1.1.0"]) versions["1.1.0"]["name"] = "left-pad";
  });
  const { versions, "dist-tags": tags } = await packumentOf("renamed");
  expect([Object.keys(versions), tags]).toEqual([["1.0.0"], { latest: "1.0.0" }]);
  expect((await host.fetch("/npm/renamed/-/renamed-1.1.0.tgz")).status).toBe(404);
});

test.each([
  "+275760-09-13T00:00:00.000Z",
  "-000001-01-01T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "soon",
])("keeps a version that was published at %s", async (time) => {
  const name = `time${time.length}${time.charCodeAt(0)}`;
  npm.publish(name, "1.0.0");
  npm.change(name, (document) => void (document.time["1.0.0"] = time));
  const year = new Date((await packumentOf(name)).time["1.0.0"] ?? "").getUTCFullYear();
  expect(year).toBe(new Date().getUTCFullYear());
  const tarball = await host.fetch(`/npm/${name}/-/${name}-1.0.0.tgz`);
  expect([tarball.status, (await tarball.bytes()).length > 100]).toEqual([200, true]);
});

test("answers 503 to a document with too many levels", async () => {
  npm.publish("deep", "1.0.0");
  const levels = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
  npm.fault = (request, response) => {
    if (request.url !== "/deep") return false;
    response.writeHead(200).end(`{"name":"deep","versions":{},"x":${levels}}`);
    return true;
  };
  const response = await host.fetch("/npm/deep");
  expect([response.status, await response.text()]).toEqual([
    503,
    expect.stringContaining("is not the requested document"),
  ]);
});

test("follows a document that grows by 10,000 versions, and back", async () => {
  npm.publish("grows", "1.0.0");
  await packumentOf("grows");
  npm.change("grows", ({ versions, time }) => {
    const [first = expect.unreachable()] = Object.values(versions);
    for (let patch = 1; patch <= 10_000; patch += 1) {
      const version = `1.0.${patch}`;
      versions[version] = { ...first, version };
      time[version] = "2021-01-01T00:00:00.000Z";
    }
  });
  const count = async () => Object.keys((await packumentOf("grows")).versions).length;
  await expect.poll(count, { timeout: 20_000, interval: 300 }).toBe(10_001);
  npm.change("grows", ({ versions }) => {
    for (const version of Object.keys(versions)) {
      if (version !== "1.0.0") delete versions[version];
    }
  });
  await expect.poll(count, { timeout: 20_000, interval: 300 }).toBe(1);
});

test("keeps keys that the source lists no longer", async () => {
  const key = (keyid: string) => ({
    keyid,
    keytype: "ecdsa-sha2-nistp256",
    scheme: "ecdsa-sha2-nistp256",
    key: "AAAA",
    expires: null,
  });
  let listed = ["first"];
  npm.fault = (request, response) => {
    if (request.url !== "/-/npm/v1/keys") return false;
    response.writeHead(200).end(JSON.stringify({ keys: listed.map(key) }));
    return true;
  };
  const shown = async () => {
    const answer = (await (await host.fetch("/npm/-/npm/v1/keys")).json()) as {
      readonly keys: readonly { readonly keyid: string }[];
    };
    return answer.keys.map(({ keyid }) => keyid);
  };
  expect(await shown()).toContain("first");
  listed = ["second"];
  await expect
    .poll(shown, { timeout: 10_000 })
    .toEqual(expect.arrayContaining(["first", "second"]));
});

test("answers 503 to a registration of another package, and 404 to private resources", async () => {
  nuget.put("Acme.Mine", "1.0.0", { entry: { id: "Acme.Other" } });
  foreign.put("Away", "1.0.0");
  foreign.resourcesAt = nuget.origin;
  nuget.put("Away", "1.0.0");
  const before = nuget.requests.length;
  for (const [path, status] of [
    ["acme.mine", 503],
    ["away", 404],
  ]) {
    const response = await host.fetch(`/v3/registration-gz-semver2/${path}/index.json`);
    expect([path, response.status]).toEqual([path, status]);
  }
  const away = await host.fetch("/v3/package/away/index.json");
  expect(away.status).toBe(404);
  expect(away.headers.get("x-nuget-warning")).toContain("address that this registry must not call");
  expect(nuget.requests.slice(before).filter((path) => path.includes("away"))).toEqual([]);
});

test("names no manifest whose digest differs, and serves one with a wrong content type", async () => {
  const [told, sent] = [imageOf("told"), imageOf("sent")];
  images.put("team/app", sent, "1.0");
  images.fault = ({ url, method }, response) => {
    if (url?.startsWith("/v2/team/app/manifests/") !== true) return false;
    const headers = { "docker-content-digest": told.digest, "content-type": told.mediaType };
    response.writeHead(200, headers).end(method === "HEAD" ? undefined : sent.bytes);
    return true;
  };
  const statusOf = async (reference: string) =>
    (await host.fetch(`/v2/team/app/manifests/${reference}`)).status;
  expect(await statusOf("1.0")).toBe(503);
  images.fault = ({ url, method }, response) => {
    if (url?.startsWith("/v2/team/app/manifests/") !== true) return false;
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(method === "HEAD" ? undefined : sent.bytes);
    return true;
  };
  await vi.waitFor(async () => expect(await statusOf("1.0")).toBe(200), 10_000);
  const manifest = await host.fetch("/v2/team/app/manifests/1.0");
  expect(manifest.headers.get("content-type")).toBe(sent.mediaType);
  expect(manifest.headers.get("docker-content-digest")).toBe(sent.digest);
});
