import type { NewStagedVersion, StagedVersion } from "@sealhouse/npm-protocol";

export type StagedSummary = Pick<StagedVersion, "tags" | "integrity" | "shasum">;

/** Formats the column `summary`. */
export function formatSummary({ tags, integrity, shasum }: StagedSummary): string {
  return JSON.stringify({ tags, integrity, shasum });
}

export function parseSummary(text: string): StagedSummary {
  return JSON.parse(text) as StagedSummary;
}

/** Formats the column `details`, without the blob, which has its own row. */
export function formatDetails({ blob: _blob, ...version }: NewStagedVersion): string {
  return JSON.stringify(version);
}
