import { StorageError } from "@sealhouse/storage-providers";
import { expect, test } from "vitest";
import type { Check } from "@sealhouse/http-server";
import { createHealthApp } from "@sealhouse/http-server";
import { createMetrics } from "./metrics.ts";
import { describeFailure } from "./operations.ts";

const atRoot = { ociSegment: null, routePrefix: "" };

function appWith(checks: Record<string, Check> = {}, damaged = 0) {
  const none = async () => 0;
  const blobsDamaged = { nuget: none, npm: none, oci: async () => damaged };
  const stored = { blobBytes: async () => 42, blobsDamaged };
  const metrics = createMetrics({ feed: "default" }, stored);
  metrics.count("npm", "push");
  metrics.count("npm", "pull");
  metrics.count("npm", "pull");
  const failures: string[] = [];
  const app = createHealthApp({
    feed: "default",
    surfaces: [
      { surfaceId: "nuget", protocol: "NuGet", ...atRoot },
      ...(damaged > 0 ? [{ surfaceId: "oci-default", protocol: "Oci" as const, ...atRoot }] : []),
    ],
    checks: { package_catalog_db: async () => undefined, ...checks },
    counted: () => metrics.counted(),
    describeFailure,
    ...stored,
    onFailure: (check) => failures.push(check),
  });
  return { app, metrics, failures };
}

const broken: Check = () => Promise.reject(new Error("password=secret refused"));

test.each(["/health", "/health/ready", "/health/live"])(
  "%s is text and says Healthy",
  async (path) => {
    const answer = await appWith().app.request(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.text()).toBe("Healthy");
  },
);

test("a failing check makes it 503 without telling anonymous callers why", async () => {
  const { app, failures } = appWith({ storage: broken });
  const answer = await app.request("/health", { headers: { accept: "application/json" } });
  expect(answer.status).toBe(503);
  const body = await answer.text();
  expect(JSON.parse(body)).toMatchObject({
    status: "Unhealthy",
    checks: { package_catalog_db: { status: "healthy" }, storage: { status: "unhealthy" } },
  });
  expect(body).not.toContain("secret");
  expect(failures).toEqual(["storage"]);
});

test("liveness calls no other service", async () => {
  const answer = await appWith({ storage: broken }).app.request("/health/live");
  expect(answer.status).toBe(200);
});

test.each(["/health/feeds", "/health/feeds/default", "/health/feeds/DEFAULT"])(
  "%s reports surfaces, checks and counts",
  async (path) => {
    const answer = await appWith().app.request(path);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      feedId: "default",
      status: "healthy",
      surfaces: [
        {
          surfaceId: "nuget",
          protocol: "NuGet",
          ociSegment: null,
          routePrefix: "",
          status: "ready",
        },
      ],
      checks: { package_catalog_db: { status: "healthy" } },
      metrics: {
        push: { "default:nuget": 0, "default:npm": 1, "default:oci": 0 },
        pull: { "default:npm": 2 },
        blobBytes: { "default:oci": 42 },
      },
    });
  },
);

test.each([
  ["storage-full", "is full"],
  ["database-full", "is full"],
  ["database-read-only", "is read-only"],
  ["storage-unavailable", "cannot be used: gone, not mounted or read-only"],
  ["database-unreachable", undefined],
])("anonymous callers may know of %s that it %s", (code, description) => {
  expect(describeFailure(Object.assign(new Error("secret"), { code }))).toBe(description);
});

test("an unhealthy feed is 503, an unknown one 404", async () => {
  const { app } = appWith({ storage: broken });
  const answer = await app.request("/health/feeds");
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    status: "unhealthy",
    surfaces: [{ status: "not-ready" }],
  });
  expect((await app.request("/health/feeds/other")).status).toBe(404);
});

test("metrics have every series from the start, and no other labels", async () => {
  const { contentType, text } = await appWith().metrics.render();
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  const isOfRegistry = (line: string) => !/^(?:process|nodejs)_/.test(line);
  const lines = text.split("\n").filter(isOfRegistry);
  const samples = lines.filter((line) => line !== "" && !line.startsWith("#"));
  expect(samples.toSorted()).toEqual([
    'blob_bytes_stored{feed="default",type="oci"} 42',
    'blobs_damaged{feed="default",type="npm"} 0',
    'blobs_damaged{feed="default",type="nuget"} 0',
    'blobs_damaged{feed="default",type="oci"} 0',
    'feed_pull_total{feed="default",type="npm"} 2',
    'feed_pull_total{feed="default",type="nuget"} 0',
    'feed_pull_total{feed="default",type="oci"} 0',
    'feed_push_total{feed="default",type="npm"} 1',
    'feed_push_total{feed="default",type="nuget"} 0',
    'feed_push_total{feed="default",type="oci"} 0',
    'oci_blobs_damaged{feed="default",type="oci"} 0',
  ]);
});

test("damaged blobs degrade the surfaces of their protocol, but the host stays up", async () => {
  const { app, metrics } = appWith({}, 3);
  expect((await app.request("/health")).status).toBe(200);
  const answer = await app.request("/health/feeds/default");
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    surfaces: [
      { surfaceId: "nuget", status: "ready" },
      { surfaceId: "oci-default", status: "degraded" },
    ],
    metrics: { blobsDamaged: { "default:oci": 3 } },
  });
  const { text } = await metrics.render();
  expect(text).toContain('oci_blobs_damaged{feed="default",type="oci"} 3');
});

test("metrics answer with what they know while the database is away", async () => {
  const away = () => Promise.reject(new Error("database is away"));
  const blobsDamaged = { nuget: away, npm: away, oci: away };
  const metrics = createMetrics({ feed: "main" }, { blobBytes: away, blobsDamaged });
  metrics.count("npm", "push");
  const { text } = await metrics.render();
  expect(text).toContain('feed_push_total{feed="main",type="npm"} 1');
  expect(text).not.toMatch(/^(?:blob_bytes_stored|(?:oci_)?blobs_damaged){/m);
});

test("what an anonymous caller learns about a full storage", async () => {
  const full = () => Promise.reject(new StorageError("storage-full", "cannot write /srv/secret"));
  const { app } = appWith({ storage: full });
  const answer = await app.request("/health", { headers: { accept: "application/json" } });
  expect(await answer.json()).toMatchObject({ checks: { storage: { description: "is full" } } });
});

test("answers with what is known while the database hangs", { timeout: 20_000 }, async () => {
  const hang = () => new Promise<never>(() => undefined);
  const blobsDamaged = { nuget: async () => 3, npm: hang, oci: hang };
  const stored = { blobBytes: hang, blobsDamaged };
  const metrics = createMetrics({ feed: "default" }, stored);
  const { text } = await metrics.render();
  expect(text).toContain('feed_push_total{feed="default",type="npm"} 0');
  expect(text).toContain('blobs_damaged{feed="default",type="nuget"} 3');
  expect(text).not.toMatch(/^(?:blob_bytes_stored|oci_blobs_damaged)\{/m);
  const app = createHealthApp({
    feed: "default",
    surfaces: [],
    checks: {},
    counted: () => metrics.counted(),
    ...stored,
    onFailure: () => undefined,
  });
  const answer = await app.request("/health/feeds");
  expect(await answer.json()).toMatchObject({
    metrics: { blobBytes: {}, blobsDamaged: { "default:nuget": 3 } },
  });
});

test("a host that stops is not ready, and alive", async () => {
  const none = async () => 0;
  const app = createHealthApp({
    feed: "default",
    surfaces: [],
    checks: {},
    isStopping: () => true,
    counted: () => ({ nuget: NONE, npm: NONE, oci: NONE }),
    blobBytes: none,
    blobsDamaged: { nuget: none, npm: none, oci: none },
    onFailure: expect.unreachable,
  });
  const statuses = ["/health", "/health/ready", "/health/live"].map(
    async (path) => (await app.request(path)).status,
  );
  expect(await Promise.all(statuses)).toEqual([503, 503, 200]);
});

const NONE = { push: 0, pull: 0 };
