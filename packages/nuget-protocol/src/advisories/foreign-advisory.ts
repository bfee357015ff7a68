import { pageUrlOf } from "@sealhouse/advisories";
import type { Severity } from "@sealhouse/advisories";
import { isPackageId, lowerId } from "../notation/package-id.ts";
import { formatVersionRange, parseVersionRange } from "../notation/version-range.ts";
import type { NewAdvisory } from "./ports.ts";

const SEVERITIES: readonly Severity[] = [0, 1, 2, 3];

/** Fields of an advisory in the vulnerability index of another feed. */
export type ForeignFields = {
  readonly severity?: unknown;
  readonly url?: unknown;
  readonly versions?: unknown;
};

/** Returns an advisory of another feed in the form of own ones; undefined when it is invalid. */
export function foreignAdvisory(id: string, fields: ForeignFields): NewAdvisory | undefined {
  if (!isPackageId(id)) return undefined;
  const url = pageUrlOf(fields.url);
  const severity = SEVERITIES.find((candidate) => candidate === fields.severity);
  const range =
    typeof fields.versions === "string" ? parseVersionRange(fields.versions) : undefined;
  if (severity === undefined || !range || url === undefined) return undefined;
  const [, advisoryId] = /\/(GHSA(?:-[0-9a-z]{4}){3})$/.exec(url) ?? [];
  return {
    id: lowerId(id),
    severity,
    url,
    versions: formatVersionRange(range),
    ...(advisoryId !== undefined && { advisoryId }),
  };
}
