import { pageUrlOf } from "@sealhouse/advisories";
import type { RemoteAdvisory } from "../client/statements.ts";
import { SEVERITY_NAMES } from "./bulk.ts";
import { isRange } from "./matching.ts";
import type { NpmAdvisory } from "./ports.ts";

const TITLE_LENGTH_MAX = 1_000;
const RANGE_LENGTH_MAX = 32 * 1024;
const CWE_MAX = 50;

/** Returns an advisory of another registry in the own form; undefined when it is invalid. */
export function foreignAdvisory(remote: RemoteAdvisory): NpmAdvisory | undefined {
  const url = pageUrlOf(remote.url);
  const severity = SEVERITIES.find((known) => SEVERITY_NAMES[known] === remote.severity);
  const { title, versions, cwe, cvss } = remote;
  if (url === undefined || severity === undefined) return undefined;
  // Ranges are joined with others; an invalid one would spoil them.
  if (versions === "" || versions.length > RANGE_LENGTH_MAX || !isRange(versions)) return undefined;
  const [, advisoryId] = /\/(GHSA(?:-[0-9a-z]{4}){3})$/.exec(url) ?? [];
  return {
    severity,
    title: title.slice(0, TITLE_LENGTH_MAX),
    url,
    versions,
    cwe: cwe.filter((name) => /^CWE-\d{1,6}$/.test(name)).slice(0, CWE_MAX),
    ...(advisoryId !== undefined && { advisoryId }),
    ...(cvss && /^CVSS:[\w.:/-]{1,200}$/.test(cvss.vectorString) && { cvss }),
  };
}

const SEVERITIES = [0, 1, 2, 3] as const;
