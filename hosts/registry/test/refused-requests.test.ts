import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";

const API = "/api/admin/v1";

let host: TestHost;
let admin: string;

beforeAll(async () => {
  host = await startHost({ env: { Signing__Mode: "" } });
  admin = await host.makeToken({ name: "root", scopes: "admin" });
});
afterAll(() => host?.[Symbol.asyncDispose]());

type Shown = {
  readonly subject: string;
  readonly actor: string;
  readonly detail: { readonly action: string; readonly reason: string };
};

/** The refusals in the audit log, oldest first, as soon as there are as many. */
async function refusals(count: number): Promise<readonly Shown[]> {
  const headers = { authorization: `Bearer ${admin}` };
  const read = async () => {
    const answer = await host.fetch(`${API}/audit/export?type=access.refused`, { headers });
    return ((await answer.json()) as { readonly items: readonly Shown[] }).items;
  };
  await expect.poll(async () => (await read()).length, { timeout: 20_000 }).toBe(count);
  return read();
}

async function statusOf(path: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await host.fetch(path, { headers });
  await answer.text();
  return answer.status;
}

test("the audit log has why each kind of request was refused, once a minute", async () => {
  const narrow = await host.makeToken({ name: "narrow", scopes: "read", patterns: "@acme/*" });
  const reader = await host.makeToken({ name: "reader", scopes: "read" });
  const writer = await host.makeToken({ name: "writer", scopes: "read,write" });
  const pushed = await host.fetch("/api/v2/package", {
    method: "PUT",
    headers: { "x-nuget-apikey": writer },
    body: new Uint8Array(buildNupkg({ id: "Acme.Core", version: "1.0.0" })),
  });
  expect(pushed.status).toBe(201);
  const file = "/v3/package/acme.core/1.0.0/acme.core.1.0.0.nupkg";
  expect(await statusOf(file)).toBe(200);

  // A request without credentials that is asked for some is not refused.
  expect(await statusOf("/npm/-/whoami")).toBe(401);
  expect(await statusOf(`${API}/rules`)).toBe(401);
  expect(await statusOf("/npm/unknown")).toBe(404);

  for (let time = 0; time < 3; time += 1) {
    expect(await statusOf(`${API}/rules`, { authorization: `Bearer ${reader}` })).toBe(403);
  }
  const push = await host.fetch("/npm/other", {
    method: "PUT",
    headers: { authorization: `Bearer ${narrow}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "other", versions: {}, _attachments: {} }),
  });
  expect(push.status).toBe(403);
  expect(await statusOf("/v2/app/manifests/1", { authorization: "Bearer wrong" })).toBe(401);

  const rule = await host.fetch(`${API}/rules`, {
    method: "POST",
    headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
    body: JSON.stringify({
      effect: "deny",
      protocol: "nuget",
      pattern: "Acme.Core",
      reason: "Calls home.",
    }),
  });
  expect(rule.status).toBeLessThan(300);
  expect(await statusOf(file)).toBe(404);
  const hidden = await host.cli("visibility", "set", "nuget:Acme.Core", "private");
  expect(hidden.code).toBe(0);
  expect(await statusOf("/v3/package/acme.core/index.json")).toBe(404);

  const found = await refusals(5);
  expect(found.map(({ subject, actor, detail }) => [subject, actor, detail.action])).toEqual([
    ["administration", "reader", "rules:write"],
    ["npm/other", "narrow", "stage"],
    ["oci/app", "anonymous", "read"],
    ["nuget/acme.core", "anonymous", "read"],
    ["nuget/acme.core", "anonymous", "read"],
  ]);
  const reasons = found.map(({ detail }) => detail.reason).join("\n");
  expect(reasons).toContain("Calls home.");
  expect(reasons).toContain("The token lacks the scope rules:write.");
  expect(reasons).toContain("The token does not cover the name other.");
  expect(reasons).toContain("Only some callers may see this name.");
  for (const secret of [admin, narrow, reader, writer]) expect(reasons).not.toContain(secret);
});

test("hostile names and a flood of refusals write bounded records, and slow no read", async () => {
  const before = (await refusals(5)).length;
  const wrong = { authorization: "Bearer wrong" };
  const paths = Array.from(
    { length: 400 },
    (_, index) => `/v2/x${index}/${"%3Cscript%3E".repeat(10)}/manifests/${"a".repeat(100)}`,
  );
  for (const path of paths) {
    expect(await statusOf(path, { ...wrong, accept: "*/*" })).toBeGreaterThanOrEqual(400);
  }
  for (let index = 0; index < 300; index += 1) {
    await statusOf(`/v2/name-${index}/manifests/1`, wrong);
  }
  const headers = { authorization: `Bearer ${admin}` };
  await expect
    .poll(async () => {
      const answer = await host.fetch(`${API}/audit?type=access.refused&limit=1000`, { headers });
      return ((await answer.json()) as { readonly items: readonly Shown[] }).items.length;
    })
    .toBeGreaterThan(before);
  const answer = await host.fetch(`${API}/audit?type=access.refused&limit=1000`, { headers });
  const { items } = (await answer.json()) as { readonly items: readonly Shown[] };
  expect(items.length).toBeLessThanOrEqual(121);
});
