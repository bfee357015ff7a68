import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { createScannerKeys } from "./scanner-keys.ts";

const url = "https://scanner.example/keys";
const MINUTE_MS = 60_000;
const pem = (curve: "P-256" | "P-384") =>
  generateKeyPairSync("ec", { namedCurve: curve })
    .publicKey.export({ type: "spki", format: "pem" })
    .toString();
const key = (id: string, text = pem("P-256")) => ({ key_identifier: id, key: text });

type Answer = {
  readonly keys?: readonly object[];
  readonly etag?: string;
  readonly status?: number;
};

function openKeys(first: Answer) {
  let answer = first;
  let nowMs = Date.UTC(2026, 0, 1);
  const tags: (string | null)[] = [];
  const keys = createScannerKeys({
    url,
    now: () => new Date(nowMs),
    fetch: async (_address, init) => {
      const known = new Headers(init?.headers).get("if-none-match");
      tags.push(known);
      const { keys: public_keys = [], etag, status = 200 } = answer;
      const headers = etag === undefined ? {} : { etag };
      if (etag !== undefined && known === etag) return new Response(null, { status: 304, headers });
      return new Response(JSON.stringify({ public_keys }), { status, headers });
    },
  });
  return {
    find: async (id: string) => (await keys(id)) !== undefined,
    wait: (minutes: number) => void (nowMs += minutes * MINUTE_MS),
    serve: (next: Answer) => void (answer = next),
    tags,
  };
}

test("reads the keys once, and again after an hour with the entity tag", async () => {
  const keys = openKeys({ keys: [key("a")], etag: '"1"' });
  const found = await Promise.all(["a", "a", "b"].map((id) => keys.find(id)));
  expect(found).toEqual([true, true, false]);
  expect(await keys.find("b")).toBe(false);
  expect(keys.tags).toEqual([null]);
  keys.wait(59);
  expect(await keys.find("a")).toBe(true);
  expect(keys.tags).toHaveLength(1);
  keys.wait(1);
  expect(await keys.find("a")).toBe(true);
  expect(keys.tags).toEqual([null, '"1"']);
});

test("reads again for an unknown id, at most once a minute", async () => {
  const keys = openKeys({ keys: [key("a")] });
  await keys.find("a");
  keys.serve({ keys: [key("a"), key("b")] });
  expect(await keys.find("b")).toBe(false);
  keys.wait(1);
  for (const id of ["x", "y", "z"]) await keys.find(id);
  expect(await keys.find("b")).toBe(true);
  expect(keys.tags).toHaveLength(2);
});

test("forgets a key that the service withdrew", async () => {
  const keys = openKeys({ keys: [key("a"), key("b")] });
  expect(await keys.find("b")).toBe(true);
  keys.serve({ keys: [key("a")] });
  keys.wait(60);
  expect(await keys.find("b")).toBe(false);
});

test("keeps a copy for a day while the service does not answer", async () => {
  const keys = openKeys({ keys: [key("a")] });
  await keys.find("a");
  keys.serve({ status: 500 });
  keys.wait(120);
  expect(await keys.find("a")).toBe(true);
  await expect(keys.find("b")).rejects.toThrow("returned status 500");
  keys.wait(23 * 60);
  await expect(keys.find("a")).rejects.toThrow("returned status 500");
  expect(keys.tags).toHaveLength(3);
});

test.each([
  ["a redirect", { status: 302 }],
  ["more than 256 KiB", { keys: [key("a", "x".repeat(300_000))] }],
])("does not accept %s", async (_what, answer) => {
  await expect(openKeys(answer).find("a")).rejects.toThrow(url);
});

test("ignores keys of another curve, and texts that are not keys", async () => {
  const entries = [key("a", pem("P-384")), key("b", "no key"), {}, key("c")];
  const keys = openKeys({ keys: entries });
  const found = await Promise.all(["a", "b", "c"].map((id) => keys.find(id)));
  expect(found).toEqual([false, false, true]);
});
