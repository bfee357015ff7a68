import type { NewStagedVersion, StagedVersion } from "@sealhouse/npm-protocol";

export type StagedSummary = Pick<StagedVersion, "tags" | "integrity" | "shasum">;

/** As it is kept in the column `summary`. */
export function formatSummary({ tags, integrity, shasum }: StagedSummary): string {
  return JSON.stringify({ tags, integrity, shasum });
}

export function parseSummary(text: string): StagedSummary {
  return JSON.parse(text) as StagedSummary;
}

/** As it is kept in the column `details`, which has no blob: that is a row of its own. */
export function formatDetails({ blob: _blob, ...version }: NewStagedVersion): string {
  return JSON.stringify(version);
}
