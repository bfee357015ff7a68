import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { openScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import type { ScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";

const DAY_MS = 24 * 60 * 60_000;
const SOURCES = "/administration/package-sources";
const NEW_RULE = "/administration/rules/new";

let upstream: ScriptedRegistry;
let host: TestHost;
let authorization: string;

beforeAll(async () => {
  upstream = await openScriptedRegistry();
  upstream.publish("young", "1.0.0", "1.1.0", "1.2.0");
  upstream.change("young", ({ time }) => {
    time["1.2.0"] = new Date(Date.now() - DAY_MS).toISOString();
  });
  host = await startHost({ env: { Signing__Mode: "" } });
  const token = await host.makeToken({ scopes: "admin" });
  authorization = `Bearer ${token}`;
});
afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

async function page(path: string) {
  const answer = await host.fetch(path, { headers: { authorization, accept: "text/html" } });
  const html = await answer.text();
  return { status: answer.status, html };
}

/** Sends the form for `action` that is on a page, as a browser does. */
async function send(path: string, fields: Readonly<Record<string, string>>, action = path) {
  const { html } = await page(path);
  const form = html.slice(html.indexOf(`action="${action}"`));
  const [, proof = ""] = /name="proof" value="([^"]+)"/.exec(form) ?? [];
  const origin = new URL(host.url).origin;
  const body = new URLSearchParams({ proof, ...fields });
  const headers = { authorization, origin, "sec-fetch-site": "same-origin" };
  const answer = await host.fetch(action, { method: "POST", headers, body, redirect: "manual" });
  await answer.text();
  return answer.status;
}

async function versions(): Promise<readonly string[] | number> {
  const answer = await host.fetch("/npm/young");
  const { versions: shown = {} } = (await answer.json()) as { readonly versions?: object };
  return answer.ok ? Object.keys(shown) : answer.status;
}

test("a running host follows the pages of administrators at once, and the audit log names them", async () => {
  expect(await versions()).toBe(404);
  const source = {
    Name: "scripted",
    Protocol: "npm",
    FeedUrl: upstream.url,
    IsEnabled: "true",
    AllowPrivateNetwork: "true",
    MinimumReleaseAge: "7.00:00:00",
  };
  expect(await send("/administration/package-sources/new", source)).toBe(303);
  expect(await versions()).toEqual(["1.0.0", "1.1.0"]);
  expect(await send(`${SOURCES}/scripted`, {}, `${SOURCES}/scripted/test`)).toBe(200);

  const rule = { effect: "deny", protocol: "npm", pattern: "young", versions: "1.1.0" };
  expect(await send(NEW_RULE, { ...rule, reason: "Calls home." })).toBe(303);
  expect(await versions()).toEqual(["1.0.0"]);
  expect(await send(SOURCES, {}, `${SOURCES}/scripted/disable`)).toBe(303);
  upstream.publish("never-asked", "1.0.0");
  expect((await host.fetch("/npm/never-asked")).status).toBe(404);
  expect(await send(SOURCES, {}, `${SOURCES}/scripted/enable`)).toBe(303);

  await using database = await openDatabase({
    type: "Sqlite",
    path: join(host.folder, "sealhouse.db"),
  });
  const events = await database.events.outbox.pending("test", 100);
  const ours = events.filter(({ type }) => /^(?:source|policy)\.changed$/.test(type));
  expect(ours.map(({ type }) => type)).toEqual([
    "source.changed",
    "policy.changed",
    "source.changed",
    "source.changed",
  ]);
  for (const { caller } of ours) {
    expect(caller).toMatchObject({ actor: expect.any(String), tokenId: expect.any(String) });
  }
});

test("package pages show held and denied versions, and ask no source for new names", async () => {
  expect((await host.fetch("/npm/young/-/young-1.0.0.tgz")).status).toBe(200);
  const known = await page("/npm-packages/young");
  expect(known.html).toContain("2 versions held back or denied");
  expect(known.html).toMatch(/young 1\.2\.0 is held back until .*package source &quot;scripted/);
  expect(known.html).toMatch(/young 1\.1\.0 is denied on this registry: Calls home\./);
  const held = await page("/npm-packages/young/v/1.2.0");
  expect([held.status, held.html]).toEqual([404, expect.stringContaining("1.2.0 is held back")]);
  expect(held.html).not.toContain("1.1.0 is denied");
  const before = upstream.requests.length;
  expect((await page("/npm-packages/never-asked")).status).toBe(404);
  expect(upstream.requests).toHaveLength(before);
});
