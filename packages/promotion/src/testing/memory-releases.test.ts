import { test } from "vitest";
import { createMemoryReleases, releasePortsContract } from "./index.ts";

test.each(releasePortsContract)("in memory: $name", async ({ run }) => {
  const { rows: releases, ...ports } = createMemoryReleases(() => new Date());
  await run({ releases, ...ports });
});
