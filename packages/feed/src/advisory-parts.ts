import type { AdvisoryReaders, AdvisoryRecorders } from "@sealhouse/advisories";
import type { Database } from "@sealhouse/database";
import { readNpmOsv } from "@sealhouse/npm-protocol";
import type { NewNpmAdvisory } from "@sealhouse/npm-protocol";
import type { NewAdvisory } from "@sealhouse/nuget-protocol";

/** Where advisories are recorded. */
export function advisoryRecorders(
  database: Pick<Database, "nuget" | "npm">,
): AdvisoryRecorders<NewAdvisory, NewNpmAdvisory> {
  return { nuget: database.nuget.advisories, npm: database.npm.advisories };
}

/** Loads the readers of OSV documents for all protocols. */
export async function loadAdvisoryReaders(): Promise<AdvisoryReaders<NewAdvisory, NewNpmAdvisory>> {
  const { readNuGetOsv, ...index } = await import("@sealhouse/nuget-protocol/advisories");
  return { readNuGetOsv, readNpmOsv, index };
}
