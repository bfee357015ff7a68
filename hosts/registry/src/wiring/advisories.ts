import type { AdvisoryReaders, AdvisoryRecorders } from "@sealhouse/advisories";
import { refreshJob } from "@sealhouse/advisories/refresh";
import type { RefreshOptions } from "@sealhouse/advisories/refresh";
import type { Database } from "@sealhouse/database";
import type { Job } from "@sealhouse/jobs";
import { readNpmOsv } from "@sealhouse/npm-protocol";
import type { NewNpmAdvisory } from "@sealhouse/npm-protocol";
import type { NewAdvisory } from "@sealhouse/nuget-protocol";
import type { AdvisorySourcesConfig } from "@sealhouse/advisories/settings";

export type AdvisoryParts = Pick<
  RefreshOptions<NewAdvisory, NewNpmAdvisory>,
  "fetch" | "log" | "now"
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

export function advisoryRecorders(
  database: Pick<Database, "nuget" | "npm">,
): AdvisoryRecorders<NewAdvisory, NewNpmAdvisory> {
  return { nuget: database.nuget.advisories, npm: database.npm.advisories };
}

export async function loadAdvisoryReaders(): Promise<AdvisoryReaders<NewAdvisory, NewNpmAdvisory>> {
  const { readNuGetOsv, ...index } = await import("@sealhouse/nuget-protocol/advisories");
  return { readNuGetOsv, readNpmOsv, index };
}
