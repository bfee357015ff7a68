import { createMemoryLeases } from "@sealhouse/jobs/testing";
import { expect, test } from "vitest";
import { historyJob } from "./history-job.ts";

test("reconciles every protocol and logs those with changes", async () => {
  const lines: object[] = [];
  const job = historyJob({
    history: { reconcile: async (protocol) => (protocol === "npm" ? 3 : 0) },
    leases: createMemoryLeases(),
    log: { info: (fields) => lines.push(fields) },
  });
  await job.run(new AbortController().signal);
  expect(lines).toEqual([{ protocol: "npm", intervals: 3 }]);
});
