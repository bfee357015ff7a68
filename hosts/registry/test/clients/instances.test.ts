import { leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { hasRadosgw } from "../../../../packages/storage-aws-s3/src/testing/index.ts";
import { hasClient } from "./client.ts";
import { describeFaults } from "./instance-fault-cases.ts";
import { describeSharedState, pushNuget, UNSIGNED } from "./instance-state-cases.ts";
import type { InstanceParts } from "./instances.ts";
import { openInstances } from "./instances.ts";

const canRun =
  hasRadosgw("no instances run together") &&
  ["nginx", "dotnet", "npm", "skopeo"].every(hasClient) &&
  testableDatabases().includes("PostgreSQL");

describe.skipIf(!canRun)("three instances behind nginx on PostgreSQL and S3", () => {
  const opened = new AsyncDisposableStack();
  let parts: InstanceParts | undefined;
  const started = () => parts ?? expect.unreachable();

  beforeAll(async () => {
    const all = opened.use(
      await openInstances({
        async prepare(host) {
          const key = await host.makeToken({ scopes: "write" });
          expect(await pushNuget(host, key, UNSIGNED)).toBe(201);
        },
      }),
    );
    parts = { all, store: all.store, token: await all.makeToken({ scopes: "read,write,delete" }) };
  }, 240_000);
  afterAll(() => opened.disposeAsync());

  describeSharedState(started);
  describeFaults(started);
});
afterAll(leaveTestServers);
