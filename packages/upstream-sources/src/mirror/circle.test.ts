import { afterEach, beforeEach, expect, test } from "vitest";
import { openScriptedRegistry } from "../testing/scripted-npm.ts";
import type { ScriptedRegistry } from "../testing/scripted-npm.ts";
import { npmSource, openMirrorRegistry } from "./npm/mirror-registry.test.support.ts";
import type { MirrorRegistry } from "./npm/mirror-registry.test.support.ts";

let source: ScriptedRegistry;
beforeEach(async () => {
  source = await openScriptedRegistry();
});
afterEach(() => source[Symbol.asyncDispose]());

/** The entry of a registry in `Via`, which its sources get with every call. */
async function viaOf(registry: MirrorRegistry): Promise<string> {
  await registry.get("learns-via");
  return source.headers.at(-1)?.via ?? "";
}

/** Answers like a host: a request of another registry is run as one. */
async function read(registry: MirrorRegistry, name: string, via: string) {
  return registry.mirror.answerRegistry({ via, isProbe: false }, async (headersOf) => {
    const { status, versions } = await registry.packument(name);
    return { status, versions, headers: headersOf() };
  });
}

test("a request that began here asks no source, and changes nothing for others", async () => {
  source.publish("moves", "1.0.0", "2.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  const via = await viaOf(registry);
  source.requests.length = 0;
  expect(await read(registry, "moves", via)).toMatchObject({
    status: 404,
    headers: { "x-sealhouse-left-out": via.replace("1.1 ", ""), "cache-control": "no-store" },
  });
  expect(source.requests).toEqual([]);
  expect((await registry.packument("moves")).versions).toEqual(["1.0.0", "2.0.0"]);
  expect((await registry.tarball("moves", "1.0.0")).status).toBe(200);
  expect((await read(registry, "moves", via)).status).toBe(404);
  expect((await registry.packument("moves")).versions).toEqual(["1.0.0", "2.0.0"]);
});

test("a request that began here gets the packages of this registry", async () => {
  await using registry = openMirrorRegistry([npmSource(source)]);
  await registry.publish("there", "1.0.0");
  const answer = await read(registry, "there", await viaOf(registry));
  expect([answer.status, answer.versions]).toEqual([200, ["1.0.0"]]);
  expect(answer.headers).not.toHaveProperty("x-sealhouse-left-out");
});

test("a source that asks is not asked, and its names go to no other source for good", async () => {
  await using other = await openScriptedRegistry();
  const asker = `sealhouse-${"a".repeat(16)}`;
  // The first source is the registry that asks.
  source.fault = (_, response) => {
    response.setHeader("via", `1.1 ${asker}`);
    return false;
  };
  source.publish("corporate", "1.0.0");
  other.publish("corporate", "6.6.6");
  await using registry = openMirrorRegistry([
    npmSource(source, { name: "asker", priority: 1 }),
    npmSource(other, { name: "other", priority: 2 }),
  ]);
  const restricted = await read(registry, "corporate", `1.1 ${asker}`);
  expect(restricted).toMatchObject({
    versions: ["6.6.6"],
    headers: { "x-sealhouse-left-out": asker },
  });
  expect(await registry.parts.origins.find("npm", "corporate")).toBeUndefined();
  expect((await registry.packument("corporate")).versions).toEqual(["1.0.0"]);
  expect(await registry.parts.origins.find("npm", "corporate")).toMatchObject({ source: "asker" });
});

test("a publish asks all sources, whatever its Via is", async () => {
  source.publish("theirs", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  const via = await viaOf(registry);
  const refused = await registry.mirror.answerRegistry({ via, isProbe: false }, () =>
    registry.publish("theirs", "9.0.0"),
  );
  expect(refused.status).toBe(403);
});

test("a registry asks no source when it answers who it is", async () => {
  await using registry = openMirrorRegistry([npmSource(source)]);
  const via = `1.1 sealhouse-${"a".repeat(16)}`;
  const headers = await registry.mirror.answerRegistry({ via, isProbe: true }, async (headersOf) =>
    headersOf(),
  );
  expect(headers["via"]).toMatch(/^1\.1 sealhouse-[0-9a-f]{16}$/);
  expect(source.requests).toEqual([]);
});
