import { expect, test } from "vitest";
import { documentKey } from "../document-key.ts";
import { createTestFeed } from "../testing/test-feed.ts";
import { NO_UPSTREAM } from "../upstream/ports.ts";

const BASE = "https://feed.example";
const KINDS = [
  { type: "versions", id: "acme" },
  { type: "registration", hive: "semver2", id: "acme" },
] as const;
const PATHS = ["/v3/package/acme/index.json", "/v3/registration-gz-semver2/acme/index.json"];

test.each([
  [[undefined], [undefined]],
  [["a"], ["a"]],
  // The rules change while the document is rendered.
  [["a", "b"], []],
  [[undefined, "b"], []],
])("documents of the variants %j are stored as those of %j", async (variants, stored) => {
  const left = new Map<string, (string | undefined)[]>();
  const feed = createTestFeed({
    upstream: {
      ...NO_UPSTREAM,
      revise(_id, document) {
        const next = left.get(document) ?? [...variants];
        left.set(document, next.slice(-1));
        const [variant] = next;
        return variant === undefined ? undefined : { variant };
      },
    },
  });
  await feed.fill("Acme", "1.0.0");
  for (const [index, path] of PATHS.entries()) {
    expect((await feed.get(path)).status, path).toBe(200);
    const kind = KINDS[index] ?? KINDS[0];
    const keys = [undefined, "a", "b"].map(async (variant) => {
      const document = await feed.documents.read(documentKey(kind, BASE, variant));
      return document ? [variant] : [];
    });
    expect((await Promise.all(keys)).flat(), path).toEqual(stored);
  }
  expect((await feed.get("/v3/package/none/index.json")).status).toBe(404);
});

test.each([
  "/v3/package/gr%C3%BCn/index.json",
  "/v3/registration-gz-semver2/gr%C3%BCn/index.json",
  "/v3/registration-gz-semver2/gr%C3%BCn/1.0.0.json",
  "/v3/package/gr%C3%BCn/1.0.0/gr%C3%BCn.1.0.0.nupkg",
])("%s with letters outside ASCII is absent, and no source is asked", async (path) => {
  const asked: string[] = [];
  const note = (id: string) => void asked.push(id);
  const upstream = { ...NO_UPSTREAM, revise: note };
  const feed = createTestFeed({ upstream });
  expect((await feed.get(path)).status).toBe(404);
  expect(asked).toEqual([]);
  const known = (await feed.get(path.replaceAll("gr%C3%BCn", "green"))).status;
  expect([known, asked.length > 0 || path.endsWith(".nupkg")]).toEqual([404, true]);
});
