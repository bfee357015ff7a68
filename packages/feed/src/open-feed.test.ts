import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createNuGetApp } from "@sealhouse/nuget-protocol";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { createOciApp } from "@sealhouse/oci-distribution";
import { Hono } from "hono";
import { expect, onTestFinished, test } from "vitest";
import type { FeedOptions } from "./open-feed.ts";
import { openFeed } from "./open-feed.ts";

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-feed-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

async function openServer(options: FeedOptions) {
  const feed = await openFeed(options);
  const app = new Hono();
  app.route("/nuget", createNuGetApp(feed.nuget("/nuget")));
  app.route("/", createOciApp(feed.oci(), { service: "feed" }));
  const push = (version: string, key?: string) =>
    app.request("http://feed.example/nuget/api/v2/package", {
      method: "PUT",
      body: buildNupkg({ id: "Acme.Widgets", version }),
      ...(key !== undefined && { headers: { "x-nuget-apikey": key } }),
    });
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.request(`http://feed.example${path}`, { headers });
  return { feed, push, get, [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose]() };
}

const LIST = "/nuget/v3/package/acme.widgets/index.json";

test.each([
  ["open", { anonymousPush: 201, push: 201, read: 200, imageToken: 200, images: 200 }],
  ["token", { anonymousPush: 401, push: 201, read: 200, imageToken: 401, images: 200 }],
  ["private", { anonymousPush: 401, push: 201, read: 401, imageToken: 401, images: 401 }],
] as const)("access %s", async (access, expected) => {
  await using server = await openServer({ folder: join(await newFolder(), "new"), access });
  const { feed, push, get } = server;
  const answers = {
    anonymousPush: (await push("1.0.0")).status,
    push: (await push("2.0.0", feed.token ?? "any")).status,
    read: (await get(LIST)).status,
    imageToken: (await get("/token", { authorization: `Basic ${btoa("user:wrong")}` })).status,
    images: (await get("/v2/_catalog")).status,
  };
  expect(answers).toEqual(expected);
  expect(feed.token === undefined).toBe(access === "open");
});

test("the token is in a file that only its owner may read, and stays the same", async () => {
  const folder = await newFolder();
  const path = join(folder, "token");
  let first: string | undefined;
  {
    await using server = await openServer({ folder });
    first = server.feed.token;
    expect(await readFile(path, "utf8")).toBe(`${first}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }
  {
    await using server = await openServer({ folder });
    expect(server.feed.token).toBe(first);
    expect((await server.push("1.0.0", first)).status).toBe(201);
  }
  await rm(path);
  {
    await using server = await openServer({ folder });
    expect(server.feed.token).not.toBe(first);
  }
});

test("replaces an invalid token file with a valid token", async () => {
  const folder = await newFolder();
  await writeFile(join(folder, "token"), "not a token\n");
  await using server = await openServer({ folder });
  expect((await server.push("1.0.0", server.feed.token)).status).toBe(201);
  expect(await readFile(join(folder, "token"), "utf8")).toBe(`${server.feed.token}\n`);
});

test.each([
  [{}, "http://feed.example/nuget/v3/package/"],
  [
    { publicUrl: "https://packages.example.com/" },
    "https://packages.example.com/nuget/v3/package/",
  ],
])("links of the feed with %j begin with %s", async (options, expected) => {
  await using server = await openServer({ folder: await newFolder(), ...options });
  const forged = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
  const index = await (await server.get("/nuget/v3/index.json", forged)).text();
  expect(index).toContain(`"${expected}"`);
  expect(index).not.toContain("evil.example");
});

test("a view shows the versions of its time, below the path of the feed", async () => {
  await using server = await openServer({ folder: await newFolder(), access: "open" });
  await server.push("1.0.0");
  await setTimeout(5);
  const view = `/nuget/@${new Date().toISOString()}`;
  await setTimeout(5);
  await server.push("2.0.0");
  const listed = await server.get(LIST.replace("/nuget", view));
  expect(await listed.json()).toEqual({ versions: ["1.0.0"] });
  expect(await (await server.get(`${view}/v3/index.json`)).text()).toContain(
    `"http://feed.example${view}/v3/package/"`,
  );
});

test("the catalog lists a pushed package", async () => {
  await using server = await openServer({ folder: await newFolder(), access: "open" });
  expect((await server.push("1.0.0")).status).toBe(201);
  await expect
    .poll(async () => (await server.get("/nuget/v3/catalog/index.json")).json())
    .toMatchObject({ count: 1 });
});
