import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";

const API = "/api/admin/v1";
const DAY_MS = 24 * 3_600_000;

let host: TestHost;
let authorization: string;

beforeAll(async () => {
  host = await startHost({ env: { Signing__Mode: "" } });
  authorization = `Bearer ${await host.makeToken({ name: "root", scopes: "admin" })}`;
});
afterAll(() => host?.[Symbol.asyncDispose]());

async function overview(): Promise<string> {
  const answer = await host.fetch("/administration", { headers: { authorization } });
  expect(answer.status).toBe(200);
  return (await answer.text()).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

async function call(method: string, path: string, body?: object): Promise<void> {
  const answer = await host.fetch(API + path, {
    method,
    headers: { authorization, "content-type": "application/json", "if-match": "*" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect(answer.status, `${method} ${path}: ${text}`).toBeLessThan(300);
}

test("the overview shows a cause until it ends: a token of a target, an API token", async () => {
  expect(await overview()).toContain("Nothing. The registry and its sources work.");
  const expires = new Date(Date.now() + 10 * DAY_MS).toISOString().slice(0, 10);
  const target = {
    name: "npmjs",
    protocol: "npm",
    endpoint: "https://registry.npmjs.org",
    allowPrivateNetwork: true,
    expires,
  };
  await call("POST", "/targets", { ...target, token: "npm_secret" });
  expect(await overview()).toContain(`The token of the target npmjs ends on ${expires}`);
  await call("DELETE", "/targets/npmjs");
  expect(await overview()).not.toContain("The token of the target");

  await host.makeToken({ name: "ends-soon", scopes: "read", expires: "2d" });
  expect(await overview()).toContain("The API token ends-soon ends on");
  const listed = await host.fetch(`${API}/tokens`, { headers: { authorization } });
  type Listed = { readonly items: readonly { readonly id: string; readonly name: string }[] };
  const { items } = (await listed.json()) as Listed;
  const { id = "" } = items.find(({ name }) => name === "ends-soon") ?? {};
  expect((await host.cli("token", "revoke", id)).code).toBe(0);
  expect(await overview()).not.toContain("ends-soon ends on");
});

test("the overview shows the first of many causes of a kind, and counts the others", async () => {
  const ids: string[] = [];
  for (let count = 0; count < 12; count += 1) {
    const made = await host.cli(
      "token",
      "create",
      "--name",
      `many-${count}`,
      "--expires",
      "2d",
      "--scopes",
      "read",
      "--json",
    );
    ids.push((JSON.parse(made.stdout) as { readonly id: string }).id);
  }
  const text = await overview();
  expect(text.match(/The API token many-\d+ ends on/g)).toHaveLength(10);
  expect(text).toContain("2 more of this kind");
  await host.cli("token", "revoke-all", "--id", ...ids);
});

test("a source that fails is shown until it is disabled", async () => {
  const server = createServer((_, answer) => answer.writeHead(500).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  const url = `http://127.0.0.1:${port}`;
  await call("POST", "/sources", {
    name: "broken",
    protocol: "npm",
    url,
    allowPrivateNetwork: true,
  });
  for (let time = 0; time < 8; time += 1) {
    await (await host.fetch(`/npm/unknown-${time}`, { headers: { authorization } })).text();
  }
  await expect.poll(overview).toContain("Package source broken");
  const page = await host.fetch("/administration", { headers: { authorization } });
  const [, link = ""] = /href="([^"]+)">Look at the source/.exec(await page.text()) ?? [];
  expect((await host.fetch(link, { headers: { authorization }, redirect: "manual" })).status).toBe(
    200,
  );
  await call("POST", "/sources/broken/disable");
  await expect.poll(overview).not.toContain("Package source broken");
  await new Promise((resolve) => server.close(resolve));
});
