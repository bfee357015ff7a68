import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runRemote } from "../src/commands/run-remote.ts";
import { startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";

let host: TestHost;
let admin: string;
beforeAll(async () => {
  host = await startHost();
  admin = await host.makeToken({ name: "admin", scopes: "admin,publish" });
});
afterAll(() => host[Symbol.asyncDispose]());

type Answer = { readonly status: number; readonly etag: string | null; readonly body: unknown };

async function ask(
  method: string,
  path: string,
  {
    token = admin,
    body,
    ifMatch,
  }: { readonly token?: string; readonly body?: object; readonly ifMatch?: string } = {},
): Promise<Answer> {
  const response = await host.fetch(`/api/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { "content-type": "application/json" }),
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const etag = response.headers.get("etag");
  return { status: response.status, etag, body: await response.json() };
}

test("owners of a name with a slash are changed with the tag of their list", async () => {
  const name = "@acme/owned";
  const published = await host.fetch(`/npm/${name.replace("/", "%2f")}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
    body: publishBody({ name, version: "1.0.0" }),
  });
  expect(published.status).toBeLessThan(300);
  expect((await host.cli("user", "add", "ada")).code).toBe(0);
  const path = `/owners/npm/${encodeURIComponent(name)}`;
  const before = await ask("GET", path);
  expect(before).toMatchObject({ status: 200, body: { items: [] } });
  const owner = `${path}/ada`;
  expect((await ask("PUT", owner, { body: {} })).status).toBe(428);
  const ifMatch = before.etag ?? "";
  expect(await ask("PUT", owner, { body: { level: "manage" }, ifMatch })).toMatchObject({
    status: 200,
    body: { protocol: "npm", name, handle: "ada", level: "manage", outcome: "granted" },
  });
  expect((await ask("DELETE", owner, { ifMatch })).status).toBe(412);
  expect(await ask("DELETE", owner, { ifMatch: "*" })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("must keep an owner") },
  });
  const hidden = `/visibilities/${encodeURIComponent(`npm:${name}`)}`;
  const set = await ask("PUT", hidden, { body: { visibility: "private" }, ifMatch: "*" });
  expect(set).toMatchObject({ status: 200, body: { outcome: "set" } });
  expect(await ask("GET", "/visibilities")).toMatchObject({
    body: { items: [{ protocol: "npm", name, visibility: "private" }] },
  });
});

test("the audit log is read page by page, with audit:read and nothing more", async () => {
  const token = await host.makeToken({ name: "auditor", scopes: "audit:read" });
  const ids: string[] = [];
  for (let after = ""; ;) {
    const { body } = await ask("GET", `/audit?limit=2${after}`, { token });
    const { items, next } = body as { items: readonly { id: string }[]; next?: string };
    ids.push(...items.map(({ id }) => id));
    if (next === undefined) break;
    after = `&after=${encodeURIComponent(next)}`;
  }
  const { stdout } = await host.cli("audit", "list", "--json");
  const listed = (JSON.parse(stdout) as readonly { id: string }[]).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(2);
  expect(listed.slice(-ids.length)).toEqual(ids);
  expect((await ask("GET", `/audit/${ids[0]}`, { token })).status).toBe(200);
  expect((await ask("GET", "/audit?after=x", { token })).status).toBe(422);
  expect((await ask("GET", "/webhooks", { token })).status).toBe(403);
});

test("a webhook about private names, or in a private network, needs admin", async () => {
  const token = await host.makeToken({ name: "targets", scopes: "targets:write" });
  const url = "https://8.8.8.8/hook";
  const add = (body: object, of = token) => ask("POST", "/webhooks", { token: of, body });
  expect((await add({ url, includePrivate: true })).status).toBe(403);
  // Of a type that does not happen here: nothing is sent.
  const added = await add({ url, events: ["gc.completed"] });
  expect(added).toMatchObject({ status: 201, body: { secret: expect.stringMatching(/^whsec_/) } });
  const { id } = added.body as { readonly id: string };
  const shown = await ask("GET", `/webhooks/${id}`, { token });
  expect(JSON.stringify(shown.body)).not.toContain("whsec_");
  const allow = `/webhooks/${id}/allow-private-network`;
  const asked = { token, body: {}, ifMatch: shown.etag ?? "" };
  expect((await ask("PUT", allow, asked)).status).toBe(403);
  expect((await ask("DELETE", `/webhooks/${id}`, { token, ifMatch: "*" })).status).toBe(200);
});

test("the commands do the same at a registry elsewhere", async () => {
  for (const words of [
    ["audit", "list", "--json", "--limit", "3"],
    ["audit", "export", "--type", "token.*"],
    ["owner", "list", "npm", "@acme/owned"],
    ["visibility", "list"],
    ["reserve", "list", "--json"],
    ["webhook", "deliveries"],
    ["pipeline", "list"],
    ["event", "list"],
    ["mail", "list"],
  ]) {
    const here = await host.cli(...words);
    const there = await runThere(words);
    expect([words, there]).toEqual([words, here]);
  }
});

async function runThere(words: readonly string[]) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const code = await runRemote(words, {
    env: { SEALHOUSE_REMOTE: host.url, SEALHOUSE_TOKEN: admin },
    workingFolder: host.folder,
    stop: new AbortController().signal,
    stdout: (text) => stdout.push(`${text}\n`),
    stderr: (text) => stderr.push(`${text}\n`),
  });
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}
