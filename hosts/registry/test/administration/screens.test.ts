import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { npmArtifact } from "../artifacts.ts";
import { openFolder } from "../clients/client.ts";

// An administrator does everything on pages: a target, its token, a group, its release, Continue.

const MODULE = npmArtifact("acme-bar", new Uint8Array(20_000).fill(7));
const PAGES = "/administration";
const TARGET = `${PAGES}/publish-targets/prod`;
const GROUP = `${PAGES}/package-groups/web`;

let dev: TestHost;
let prod: TestHost;
let good: string;
let admin: string;
const cleanUp = new AsyncDisposableStack();

beforeAll(async () => {
  const folder = cleanUp.use(await openFolder()).path;
  prod = cleanUp.use(await startHost({ folder: join(folder, "prod") }));
  good = await prod.makeToken({ scopes: "write,delete" });
  dev = cleanUp.use(await startHost({ folder: join(folder, "dev") }));
  admin = await dev.makeToken({ name: "ada", scopes: "admin" });
  expect(await MODULE.push(dev, await dev.makeToken({ scopes: "write" }))).toBe(true);
}, 120_000);
afterAll(() => cleanUp.disposeAsync());

type Fields = Readonly<Record<string, string>>;

async function get(path: string): Promise<string> {
  const answer = await dev.fetch(path, { headers: { authorization: `Bearer ${admin}` } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

function hiddenIn(page: string, action: string): Fields {
  const form = page.split(`action="${action}"`)[1]?.split("</form>")[0] ?? "";
  const fields = form.matchAll(/type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name = "", value = ""]) => [name, value]));
}

function post(path: string, fields: Fields): Promise<Response> {
  return dev.fetch(path, {
    method: "POST",
    redirect: "manual",
    headers: {
      authorization: `Bearer ${admin}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Sends the form for `action` that is on a page, and answers what it asks first. */
async function send(page: string, fields: Fields, action = page): Promise<Response> {
  const sent = { ...hiddenIn(await get(page), action), ...fields };
  const answer = await post(action, sent);
  if (answer.status !== 200) return answer;
  const asked = await answer.clone().text();
  const { sure } = hiddenIn(asked, action);
  return sure === undefined ? answer : post(action, { ...sent, sure });
}

async function newestRelease(): Promise<string> {
  const [, id = ""] = /releases\/([0-9a-f-]{36})"/.exec(await get(GROUP)) ?? [];
  return id;
}

test("a release waits for a refused token, and two continue it with a good one", async () => {
  const endpoint = `${prod.url}/npm/`;
  const made = { name: "prod", protocol: "npm", endpoint, token: "wrong-token" };
  const target = { ...made, allowPrivateNetwork: "true" };
  const added = await send(`${PAGES}/publish-targets/new`, target);
  expect([added.status, added.headers.get("location")]).toEqual([
    303,
    expect.stringContaining(`${TARGET}?notice=targets.add`),
  ]);
  const tested = await (await send(TARGET, {}, `${TARGET}/test`)).text();
  expect(tested).toMatch(/Name[^]*Works[^]*Credentials[^]*Failed/);
  const group = { name: "web", members: "npm:acme-bar", targets: "prod" };
  expect((await send(`${PAGES}/package-groups/new`, group)).status).toBe(303);
  const started = await send(`${GROUP}/release`, {});
  expect(started.headers.get("location")).toContain("notice=releases.promote&job=");
  await expect.poll(newestRelease, { timeout: 20_000 }).not.toBe("");
  const page = `${PAGES}/releases/${await newestRelease()}`;
  await expect.poll(() => get(page), { timeout: 60_000 }).toContain("Next attempt");

  const token = { token: good, expires: "2999-01-31" };
  expect((await send(`${TARGET}/token`, token)).status).toBe(303);
  for (const shown of [TARGET, page, `${PAGES}/publish-targets`]) {
    const text = await get(shown);
    expect(text).not.toContain(good);
    expect(text).not.toContain("wrong-token");
  }
  const events = await dev.fetch(`${page}/events`, {
    headers: { authorization: `Bearer ${admin}` },
  });
  expect(events.headers.get("content-type")).toBe("text/event-stream");
  await events.body?.cancel();

  const hidden = hiddenIn(await get(page), `${page}/resume`);
  const both = await Promise.all([post(`${page}/resume`, hidden), post(`${page}/resume`, hidden)]);
  expect(both.map(({ status }) => status)).toContain(303);
});

test("older addresses of forms redirect to their pages", async () => {
  const headers = { authorization: `Bearer ${admin}` };
  for (const [older, page] of [
    ["/administration/sources", "/administration/package-sources"],
    ["/administration/new-source", "/administration/package-sources/new"],
    ["/administration/new-rule", "/administration/rules/new"],
  ] as const) {
    const answer = await dev.fetch(older, { headers, redirect: "manual" });
    expect([
      answer.status,
      new URL(answer.headers.get("location") ?? "", dev.url).pathname,
    ]).toEqual([301, page]);
    expect((await dev.fetch(page, { headers })).status).toBe(200);
  }
});
