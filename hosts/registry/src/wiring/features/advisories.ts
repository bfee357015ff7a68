import { refreshJob } from "@sealhouse/advisories/refresh";
import type { RefreshOptions } from "@sealhouse/advisories/refresh";
import type { Database } from "@sealhouse/database";
import { advisoryRecorders, loadAdvisoryReaders } from "@sealhouse/feed";
import type { Job } from "@sealhouse/jobs";
import type { NewNpmAdvisory } from "@sealhouse/npm-protocol";
import type { NewAdvisory } from "@sealhouse/nuget-protocol";
import type { AdvisorySourcesConfig } from "@sealhouse/advisories/settings";

export type AdvisoryParts = Pick<
  RefreshOptions<NewAdvisory, NewNpmAdvisory>,
  "fetch" | "health" | "log" | "now"
> & {
  readonly database: Pick<Database, "leases" | "nuget" | "npm">;
  readonly vulnerabilities: AdvisorySourcesConfig;
};

/** The job that refreshes the configured sources of advisories. */
export function advisoriesJob({ database, vulnerabilities, ...parts }: AdvisoryParts): Job {
  const { leases } = database;
  const recorders = advisoryRecorders(database);
  const loadReaders = loadAdvisoryReaders;
  return refreshJob({ ...vulnerabilities, ...parts, leases, recorders, loadReaders });
}
