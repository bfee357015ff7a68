import { publishBody } from "@sealhouse/npm-protocol/testing";
import { openScriptedRegistry, PUBLISHED_AT } from "@sealhouse/upstream-sources/testing";
import type { Fault, Packument, ScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { addSources, sourcesRead } from "./add-source.ts";

const unavailable: Fault = (_, response) => {
  response.writeHead(503).end();
  return true;
};
const inward: Fault = (_, response) => {
  response.writeHead(302, { location: "http://127.0.0.1:1/secret" }).end();
  return true;
};

const FAULTS: readonly [string, Fault][] = [
  ["answers 503", unavailable],
  ["redirects to a private address", inward],
];
const nameOf = (what: string) => `fault-${what.replaceAll(/\W+/g, "-")}`;

let upstream: ScriptedRegistry;
const faulty = new Map<string, ScriptedRegistry>();
let host: TestHost;

beforeAll(async () => {
  upstream = await openScriptedRegistry();
  host = await startHost({ env: { Signing__Mode: "" } });
  const sources = [
    sourceAt("upstream", upstream.url, {}),
    sourceAt("steady", upstream.url, { allow: ["once"], revalidateAfterMs: 60_000 }),
  ];
  for (const [what] of FAULTS) {
    const name = nameOf(what);
    const source = await openScriptedRegistry();
    faulty.set(name, source);
    sources.push(sourceAt(`s-${name}`, source.url, { allow: [name, `new-${name}`] }));
  }
  await addSources(host, sources);
});
afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
  for (const source of faulty.values()) await source[Symbol.asyncDispose]();
});

const sourceAt = (
  name: string,
  url: string,
  settings: {
    readonly allow?: readonly string[];
    readonly revalidateAfterMs?: number;
  },
) => ({ name, protocol: "npm" as const, url, settings: { revalidateAfterMs: 500, ...settings } });

const packument = async (name: string) => {
  const response = await host.fetch(`/npm/${name}`);
  const body = (await response.json()) as Packument & { readonly error?: string };
  return { status: response.status, headers: response.headers, body };
};

test("serves packages of a source and keeps their tarballs", async () => {
  upstream.publish("left", "1.0.0", "1.1.0");
  const { status, body } = await packument("left");
  expect(status).toBe(200);
  expect(body["dist-tags"]).toEqual({ latest: "1.1.0" });
  expect(body.time["1.1.0"]).toBe(PUBLISHED_AT);
  const { tarball, integrity } = body.versions["1.1.0"]?.dist ?? {};
  expect(tarball).toBe(`${host.url}/npm/left/-/left-1.1.0.tgz`);
  expect(integrity).toMatch(/^sha512-/);
  const bytes = await (await fetch(String(tarball))).bytes();
  expect(bytes.length).toBeGreaterThan(100);
  const before = upstream.requests.length;
  expect(await (await fetch(String(tarball))).bytes()).toEqual(bytes);
  expect(upstream.requests.length).toBe(before);
  expect(upstream.requests.filter((line) => line.endsWith(".tgz"))).toHaveLength(1);
});

test("asks the source once for a hundred clients", async () => {
  upstream.publish("once", "1.0.0");
  const documents = await Promise.all(Array.from({ length: 100 }, () => packument("once")));
  expect(documents.every(({ status }) => status === 200)).toBe(true);
  const url = `${host.url}/npm/once/-/once-1.0.0.tgz`;
  const sizes = await Promise.all(
    Array.from({ length: 100 }, async () => (await (await fetch(url)).bytes()).length),
  );
  expect(new Set(sizes).size).toBe(1);
  expect(upstream.requests.filter((line) => line.includes("once"))).toEqual([
    "GET /once",
    "GET /once/-/once-1.0.0.tgz",
  ]);
});

test("refuses to publish a name of a source, and never asks a source for its own names", async () => {
  upstream.publish("theirs", "1.0.0");
  await packument("theirs");
  const token = await host.makeToken({ scopes: "read,write" });
  const publish = (name: string, version: string, headers: Record<string, string> = {}) =>
    host.fetch(`/npm/${name}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      body: publishBody({ name, version }),
    });
  upstream.publish("unseen", "1.0.0");
  const via = upstream.headers.findLast((sent) => sent.via !== undefined)?.via ?? "";
  expect(via).not.toBe("");
  for (const [name, headers] of [["theirs"], ["unseen", { via }], ["unseen"]] as const) {
    const refused = await publish(name, "9.0.0", headers);
    expect([name, refused.status]).toEqual([name, 403]);
    expect(await refused.json()).toMatchObject({
      error: expect.stringContaining('comes from the package source "upstream"'),
    });
  }
  const staged = await host.fetch("/npm/-/stage/package/unseen", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: publishBody({ name: "unseen", version: "9.0.0" }),
  });
  expect(staged.status).toBe(403);
  expect((await publish("ours", "1.0.0")).status).toBe(200);
  expect((await publish("ours", "1.0.1")).status).toBe(200);
  const kept = await host.cli("source", "reserve", "npm", "kept");
  expect(kept.code, kept.stderr).toBe(0);
  upstream.publish("kept", "1.0.0");
  expect((await publish("kept", "2.0.0")).status).toBe(200);
  upstream.publish("ours", "99.0.0");
  const { body } = await packument("ours");
  expect(Object.keys(body.versions)).toEqual(["1.0.0", "1.0.1"]);
  expect((await host.fetch("/npm/ours/-/ours-99.0.0.tgz")).status).toBe(404);
  // The source does not take the place of a hidden name.
  await host.cli("visibility", "set", "npm:ours", "private");
  const paths = ["ours", "ours/99.0.0", "ours/-/ours-99.0.0.tgz", "-/package/ours/dist-tags"];
  for (const path of paths) {
    expect([path, (await host.fetch(`/npm/${path}`)).status]).toEqual([path, 404]);
  }
  // The first publish asks whether the source has the name.
  const asked = upstream.requests.filter((line) => /ours|kept/.test(line));
  expect(asked).toEqual(["GET /ours"]);
});

test.each(FAULTS)("while the source %s: an older document, or an error", async (what, fault) => {
  const name = nameOf(what);
  const source = faulty.get(name);
  source?.publish(name, "1.0.0");
  expect((await packument(name)).status).toBe(200);
  if (source) source.fault = fault;
  await expect
    .poll(async () => (await packument(name)).headers.get("x-sealhouse-stale"), { timeout: 8_000 })
    .toMatch(new RegExp(`^s-${name}; since=`));
  const { status: code, body } = await packument(name);
  expect([code, Object.keys(body.versions)]).toEqual([200, ["1.0.0"]]);
  const unknown = await packument(`new-${name}`);
  // An address that must not be called is not an outage.
  const [status, retryAfter] = fault === inward ? [403, /^null$/] : [503, /^\d+$/];
  expect(unknown.status).toBe(status);
  expect(String(unknown.headers.get("retry-after"))).toMatch(retryAfter);
  expect(unknown.body.error).toContain(`The package source "s-${name}"`);
});

test("cuts off a client that was sent wrong bytes, and names nothing", async () => {
  upstream.publish("wrong", "1.0.0");
  await packument("wrong");
  const bytes = Buffer.alloc(400_000, 7);
  upstream.fault = (request, response) => {
    if (request.url?.endsWith("wrong-1.0.0.tgz") !== true) return false;
    response.writeHead(200, { "content-length": bytes.length }).end(bytes);
    return true;
  };
  const read = async () => (await host.fetch("/npm/wrong/-/wrong-1.0.0.tgz")).bytes();
  await expect(read()).rejects.toThrow();
  upstream.fault = (request, response) => {
    if (request.url?.endsWith("wrong-1.0.0.tgz") !== true) return false;
    response.writeHead(200, { "content-length": 5 }).end("wrong");
    return true;
  };
  const small = await host.fetch("/npm/wrong/-/wrong-1.0.0.tgz");
  expect([small.status, await small.text()]).toEqual([
    503,
    expect.stringContaining("sent a file with another hash"),
  ]);
  upstream.fault = undefined;
  expect((await read()).length).toBeLessThan(10_000);
});

test("credentials go to the origin of the source, and not to that of its tarballs", async () => {
  await using source = await openScriptedRegistry();
  await using files = await openScriptedRegistry();
  files.publish("apart", "1.0.0");
  source.publish("apart", "1.0.0");
  source.change("apart", ({ versions }) => {
    const [version] = Object.values(versions);
    if (version) version.dist["tarball"] = new URL("/apart/-/apart-1.0.0.tgz", files.url).href;
  });
  const add = ["--protocol", "npm", "--url", source.url, "--allow", "apart", "--priority", "1"];
  const trusted = ["--allow-private-network", "--public-through-here"];
  const env = { SECRET: "open-sesame" };
  const words = ["source", "add", "apart", ...add, ...trusted, "--header-env", "X-Key=SECRET"];
  const added = await runCli(words, { folder: host.folder, env });
  expect(added.code, added.stderr).toBe(0);
  await sourcesRead();
  expect((await packument("apart")).status).toBe(200);
  expect(source.headers.map((headers) => headers["x-key"])).toContain("open-sesame");
  // The other origin is private, and not one of the source.
  expect((await host.fetch("/npm/apart/-/apart-1.0.0.tgz")).status).toBe(403);
  expect(files.requests).toEqual([]);
  const token = "--credential-origin";
  const again = await runCli([...words, "--replace", token, new URL(files.url).origin], {
    folder: host.folder,
    env,
  });
  expect(again.code, again.stderr).toBe(0);
  await sourcesRead();
  await expect
    .poll(async () => (await host.fetch("/npm/apart/-/apart-1.0.0.tgz")).status, { timeout: 9_000 })
    .toBe(200);
  expect(files.headers.map((headers) => headers["x-key"])).toEqual(["open-sesame"]);
});

test("a view shows the versions that the source had then", async () => {
  upstream.publish("older", "1.0.0", "1.1.0", "2.0.0");
  upstream.change("older", ({ time }) => {
    time["1.1.0"] = "2021-05-05T00:00:00.000Z";
    time["2.0.0"] = "2023-05-05T00:00:00.000Z";
  });
  const { status: code, body } = await packument("older");
  expect([code, body["dist-tags"]]).toEqual([200, { latest: "2.0.0" }]);
  const response = await host.fetch("/@2022-01-01T00:00Z/npm/older");
  const view = (await response.json()) as Packument;
  expect(response.status, JSON.stringify(view)).toBe(200);
  expect(Object.keys(view.versions)).toEqual(["1.0.0", "1.1.0"]);
  expect(view["dist-tags"]).toEqual({ latest: "1.1.0" });
  expect((await host.fetch("/@2019-01-01T00:00Z/npm/older")).status).toBe(404);
});

test("serves everything it has when the source is gone", async () => {
  upstream.publish("gone", "1.0.0");
  await packument("gone");
  await (await host.fetch("/npm/gone/-/gone-1.0.0.tgz")).bytes();
  await upstream.stop();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const { status: code, body } = await packument("gone");
  expect([code, Object.keys(body.versions)]).toEqual([200, ["1.0.0"]]);
  const tarball = await host.fetch("/npm/gone/-/gone-1.0.0.tgz");
  expect([tarball.status, (await tarball.bytes()).length > 100]).toEqual([200, true]);
  expect((await packument("never-seen")).status).toBe(503);
});
