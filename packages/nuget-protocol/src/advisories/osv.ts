import { isPackageId, lowerId } from "../notation/package-id.ts";
import type { VersionRange } from "../notation/version-range.ts";
import { formatVersionRange, parseVersionRange } from "../notation/version-range.ts";
import { cvssBaseScore } from "./cvss.ts";
import type { JsonObject } from "../json-value.ts";
import { jsonList, jsonObject, jsonText, shown } from "../json-value.ts";
import { affectedRanges, mergeRanges } from "./osv-ranges.ts";
import type { NewAdvisory, Severity } from "./ports.ts";

export type OsvReading = {
  /** One per package and range; empty when the document is not about NuGet, or was withdrawn. */
  readonly advisories: readonly NewAdvisory[];
  /** What could not be taken over, and why; each begins with the document's id. */
  readonly problems: readonly string[];
};

/** Bytes of one document. The largest of the public databases have some hundred KiB. */
export const OSV_BYTES_MAX = 4 * 1024 * 1024;

const AFFECTED_MAX = 10_000;
const PROBLEMS_MAX = 10;
const URL_LENGTH_MAX = 2048;
const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const GITHUB_ID = /^GHSA(?:-[0-9a-z]{4}){3}$/i;

const NAMED: ReadonlyMap<string, Severity> = new Map([
  ["LOW", 0],
  ["MODERATE", 1],
  ["MEDIUM", 1],
  ["HIGH", 2],
  ["CRITICAL", 3],
]);
/** Where a source says nothing at all. */
const UNKNOWN: Severity = 1;
/** The whole package is the attack. */
const MALICIOUS: Severity = 3;

/** @param text one OSV document, as JSON */
export function parseOsv(text: string): OsvReading {
  if (text.length > OSV_BYTES_MAX) {
    return { advisories: [], problems: [`a document is larger than ${OSV_BYTES_MAX} bytes`] };
  }
  try {
    return readOsv(JSON.parse(text));
  } catch {
    return { advisories: [], problems: ["a document is no JSON"] };
  }
}

/**
 * What a document of the OSV schema says about NuGet packages.
 *
 * The severity is what the database calls it (`database_specific.severity`), of the package before
 * that of the document; else it follows from the CVSS base score; a report of malware (`MAL-…`) is
 * critical; without any of these it is moderate.
 */
export function readOsv(document: unknown): OsvReading {
  const fields = jsonObject(document);
  const id = jsonText(fields?.["id"]) ?? "";
  if (!fields || !ID.test(id)) return { advisories: [], problems: ["a document has no OSV id"] };
  if (jsonText(fields["withdrawn"]) !== undefined) return { advisories: [], problems: [] };
  const affected = jsonList(fields["affected"]).filter(isAboutNuGet);
  if (affected.length === 0) return { advisories: [], problems: [] };
  if (affected.length > AFFECTED_MAX) {
    return { advisories: [], problems: [`${id}: names more than ${AFFECTED_MAX} packages`] };
  }
  const { packages, problems } = readAffected(fields, affected);
  const url = pageOf(id, fields);
  const advisories = packages.flatMap(({ name, severity, ranges }) =>
    ranges.map((versions) => ({ id: name, severity, url, versions, advisoryId: id })),
  );
  return { advisories, problems: problems.slice(0, PROBLEMS_MAX).map((one) => `${id}: ${one}`) };
}

type AffectedPackage = {
  readonly name: string;
  readonly severity: Severity;
  readonly ranges: readonly string[];
};

/** GitHub writes one entry per range, so those of one package are put together. */
function readAffected(
  document: JsonObject,
  affected: readonly unknown[],
): { readonly packages: readonly AffectedPackage[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const found = new Map<string, { severity: Severity; ranges: readonly VersionRange[] }>();
  for (const entry of affected) {
    const fields = jsonObject(entry) ?? {};
    const name = jsonText(jsonObject(fields["package"])?.["name"]) ?? "";
    if (!isPackageId(name)) {
      problems.push(`${shown(name)} is no package id`);
      continue;
    }
    const read = affectedRanges(entry);
    problems.push(...read.problems.map((one) => `${name}: ${one}`));
    if (read.ranges.length === 0 && read.problems.length === 0) {
      problems.push(`${name}: no version is named`);
    }
    const severity = severityOf(document, fields);
    const known = found.get(lowerId(name));
    found.set(lowerId(name), {
      severity: known && known.severity > severity ? known.severity : severity,
      ranges: mergeRanges([...(known?.ranges ?? []), ...read.ranges]),
    });
  }
  const packages = [...found].map(([name, { severity, ranges }]) => {
    const texts = ranges.map(formatVersionRange);
    const readable = texts.filter((text) => parseVersionRange(text) !== undefined);
    if (readable.length < texts.length) problems.push(`${name}: a range is too long`);
    return { name, severity, ranges: readable };
  });
  return { packages, problems };
}

function isAboutNuGet(affected: unknown): boolean {
  const ecosystem = jsonText(jsonObject(jsonObject(affected)?.["package"])?.["ecosystem"]);
  return ecosystem?.toLowerCase() === "nuget";
}

function severityOf(document: JsonObject, affected: JsonObject): Severity {
  const named = [affected, document].map((fields) => {
    const text = jsonText(jsonObject(fields["database_specific"])?.["severity"]);
    return NAMED.get(text?.toUpperCase() ?? "");
  });
  const scored = [affected, document].map((fields) => severityOfScores(fields["severity"]));
  const said = [...named, ...scored].find((one) => one !== undefined);
  if (said !== undefined) return said;
  return jsonText(document["id"])?.startsWith("MAL-") === true ? MALICIOUS : UNKNOWN;
}

/** By the scale of CVSS: https://www.first.org/cvss/v3.1/specification-document, section 5. */
function severityOfScores(given: unknown): Severity | undefined {
  const vectors = jsonList(given).map((one) => jsonText(jsonObject(one)?.["score"]) ?? "");
  // The older ones first: their score is exact.
  const scores = vectors.toSorted().map(cvssBaseScore);
  const score = scores.find((one) => one !== undefined);
  if (score === undefined) return undefined;
  if (score >= 9) return 3;
  if (score >= 7) return 2;
  return score >= 4 ? 1 : 0;
}

/** The page a person is sent to. */
function pageOf(id: string, document: JsonObject): string {
  if (GITHUB_ID.test(id)) return `https://github.com/advisories/GHSA${id.slice(4).toLowerCase()}`;
  const references = jsonList(document["references"]).map(jsonObject);
  const advisory = references.find((one) => one?.["type"] === "ADVISORY" && isPage(one["url"]));
  return jsonText(advisory?.["url"]) ?? `https://osv.dev/vulnerability/${encodeURIComponent(id)}`;
}

/** Clients show it as a link, and some pages make it one. */
export function isPage(url: unknown): url is string {
  if (typeof url !== "string" || url.length > URL_LENGTH_MAX || !URL.canParse(url)) return false;
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(url);
}
