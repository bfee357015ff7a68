import { setImmediate as afterOthers } from "node:timers/promises";
import { expect, test } from "vitest";
import { cacheFor } from "@sealhouse/http-server";
import { createMetrics } from "./metrics.ts";
import { createOperationsApp } from "./operations.ts";
import { loadConfig } from "../settings/load.ts";
import { createLog } from "../log.ts";
import { storedSums } from "./stored-sums.ts";
import { collect } from "../wiring/feature.ts";

test("anonymous requests share one sum, however many come", async () => {
  const counts = { usage: 0, damaged: 0 };
  const blobs = {
    isNamed: async () => new Set<string>(),
    async usage() {
      counts.usage += 1;
      await afterOthers();
      return 42;
    },
    async damaged() {
      counts.damaged += 1;
      await afterOthers();
      return 0;
    },
  };
  const { config } = loadConfig({ env: DEVELOPMENT, workingFolder: "/nowhere" });
  const sums = storedSums(blobs);
  const tokens = { findByPrefix: async () => undefined };
  const database = {
    ping: async () => undefined,
    checkWrites: async () => undefined,
    tokens: tokens as never,
  };
  const app = createOperationsApp(
    {
      config,
      resources: { database },
      access: { answerLeakReport: async () => new Response() },
      sums,
      now: () => new Date(),
      stop: undefined,
      metrics: createMetrics({ feed: "default" }, sums),
      log: createLog({ level: "None", format: "Json" }, () => undefined),
    },
    { check: async () => undefined },
    collect([]),
  );
  const paths = ["/metrics", "/health/feeds", "/health/feeds/default"];
  const answers = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => app.request(paths[index % 3] ?? "")),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await (await app.request("/metrics")).text()).toContain(
    'blob_bytes_stored{feed="default",type="oci"} 42',
  );
  expect(counts).toEqual({ usage: 1, damaged: 3 });
});

const DEVELOPMENT = { ASPNETCORE_ENVIRONMENT: "Development" };

test("loads a result again when its time is over, and never twice at a time", async () => {
  let time = 0;
  let loads = 0;
  const read = cacheFor(
    5_000,
    async () => {
      loads += 1;
      const result = loads;
      await afterOthers();
      return result;
    },
    () => time,
  );
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  time = 4_999;
  expect(await read()).toBe(1);
  time = 5_000;
  expect(await Promise.all([read(), read()])).toEqual([2, 2]);
});

test("passes a failure to all waiting calls, and does not cache it", async () => {
  let isBroken = true;
  const read = cacheFor(5_000, async () => {
    await afterOthers();
    if (isBroken) throw new Error("out");
    return "well";
  });
  expect((await Promise.allSettled([read(), read()])).map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
  ]);
  isBroken = false;
  expect(await read()).toBe("well");
});
