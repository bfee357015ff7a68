import { runLeased } from "@sealhouse/jobs";
import type { Job, Leases } from "@sealhouse/jobs";
import type { HiddenCatalog } from "./hidden-catalog.ts";

const FIRST_AFTER_MS = 1_000;
const EVERY_MS = 24 * 60 * 60_000;

/**
 * Ends hidden packages in NuGet's catalog after the start and once a day: instances of an older
 * release write their items. One instance works at a time.
 */
export function hiddenCatalogJob(parts: {
  readonly catalog: HiddenCatalog;
  readonly leases: Leases;
  readonly log: { info(fields: object, message: string): void };
}): Job {
  const { catalog, leases, log } = parts;
  const run = async (signal: AbortSignal) => {
    await runLeased(leases, { name: "nuget-catalog-hidden", signal }, async (leaseSignal) => {
      const packages = await catalog.reconcile(leaseSignal);
      if (packages > 0) log.info({ packages }, "ended hidden packages in NuGet's catalog");
    });
  };
  return { name: "nuget-catalog-hidden", firstAfterMs: FIRST_AFTER_MS, everyMs: EVERY_MS, run };
}
