import { isObject, stringListOf } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { parseOldPackageName } from "../package-name.ts";
import { affectedNpmRanges } from "./osv-ranges.ts";
import type { Cvss, NewNpmAdvisory, NpmSeverity } from "./ports.ts";

export type NpmOsvReading = {
  /** One per package; empty when the document is not about npm, or was withdrawn. */
  readonly advisories: readonly NewNpmAdvisory[];
  /** What could not be taken over, and why; each begins with the document's id. */
  readonly problems: readonly string[];
};

export type NpmOsvOptions = {
  /** The base score of a CVSS vector, undefined for what is none. */
  readonly scoreOf: (vector: string) => number | undefined;
};

const AFFECTED_MAX = 10_000;
const PROBLEMS_MAX = 10;
const NAME_LENGTH_MAX = 214;
const TITLE_LENGTH_MAX = 500;
const URL_LENGTH_MAX = 2048;
const RANGE_LENGTH_MAX = 32 * 1024;
const CWE_MAX = 50;
const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const GITHUB_ID = /^GHSA(?:-[0-9a-z]{4}){3}$/i;

const NAMED: ReadonlyMap<string, NpmSeverity> = new Map([
  ["LOW", 0],
  ["MODERATE", 1],
  ["MEDIUM", 1],
  ["HIGH", 2],
  ["CRITICAL", 3],
]);
/** Where a source says nothing at all. */
const UNKNOWN: NpmSeverity = 1;
/** The whole package is the attack. */
const MALICIOUS: NpmSeverity = 3;

/**
 * What a document of the OSV schema says about npm packages. The severity is what the database
 * calls it (`database_specific.severity`), of the package before that of the document; else it
 * follows from the CVSS base score; a report of malware (`MAL-…`) is critical; without any of these
 * it is moderate.
 */
export function readNpmOsv(document: unknown, options: NpmOsvOptions): NpmOsvReading {
  const nothing = { advisories: [], problems: [] };
  if (!isObject(document) || !isText(document["id"]) || !ID.test(document["id"])) return nothing;
  if (isText(document["withdrawn"])) return nothing;
  const affected = listOf(document["affected"]).filter(isAboutNpm);
  if (affected.length === 0) return nothing;
  const id = document["id"];
  if (affected.length > AFFECTED_MAX) {
    return { advisories: [], problems: [`${id}: names more than ${AFFECTED_MAX} packages`] };
  }
  const { packages, problems } = readAffected(document, affected, options);
  const told = { advisoryId: id, title: titleOf(id, document), url: pageOf(id, document) };
  return {
    advisories: packages.map((one) => ({ ...told, ...one })),
    problems: problems.slice(0, PROBLEMS_MAX).map((one) => `${id}: ${one}`),
  };
}

type AffectedPackage = Pick<NewNpmAdvisory, "name" | "severity" | "versions" | "cwe" | "cvss">;

/** GitHub writes one entry per range, so those of one package are put together. */
function readAffected(
  document: JsonObject,
  affected: readonly JsonObject[],
  options: NpmOsvOptions,
): { readonly packages: readonly AffectedPackage[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const found = new Map<string, { severity: NpmSeverity; ranges: ReadonlySet<string> }>();
  for (const entry of affected) {
    const name = nameOf(entry);
    if (name === undefined) {
      problems.push("names what is no package");
      continue;
    }
    const read = affectedNpmRanges(entry);
    problems.push(...read.problems.map((one) => `${name}: ${one}`));
    const isSilent = read.ranges.length === 0 && read.problems.length === 0;
    if (isSilent) problems.push(`${name}: no version is named`);
    const severity = severityOf(document, entry, options);
    const known = found.get(name);
    found.set(name, {
      severity: known && known.severity > severity ? known.severity : severity,
      ranges: new Set([...(known?.ranges ?? []), ...read.ranges]),
    });
  }
  const cvss = cvssOf(document, options);
  const rest = { cwe: cweOf(document), ...(cvss && { cvss }) };
  const packages: AffectedPackage[] = [];
  for (const [name, { severity, ranges }] of found) {
    const versions = [...ranges].join(" || ");
    if (versions.length > RANGE_LENGTH_MAX) problems.push(`${name}: its ranges are too long`);
    else if (versions !== "") packages.push({ name, severity, versions, ...rest });
  }
  return { packages, problems };
}

function isAboutNpm(affected: unknown): affected is JsonObject {
  if (!isObject(affected) || !isObject(affected["package"])) return false;
  const { ecosystem } = affected["package"];
  return isText(ecosystem) && ecosystem.toLowerCase() === "npm";
}

function nameOf({ package: given }: JsonObject): string | undefined {
  const text = isObject(given) ? given["name"] : undefined;
  if (!isText(text) || text.length > NAME_LENGTH_MAX) return undefined;
  return parseOldPackageName(text);
}

function severityOf(
  document: JsonObject,
  affected: JsonObject,
  options: NpmOsvOptions,
): NpmSeverity {
  const named = [affected, document].map(({ database_specific: more }) => {
    const text = isObject(more) ? more["severity"] : undefined;
    return isText(text) ? NAMED.get(text.toUpperCase()) : undefined;
  });
  const scored = [affected, document].map((fields) => severityOfScore(scoreIn(fields, options)));
  const said = [...named, ...scored].find((one) => one !== undefined);
  if (said !== undefined) return said;
  return isText(document["id"]) && document["id"].startsWith("MAL-") ? MALICIOUS : UNKNOWN;
}

/** By the scale of CVSS: https://www.first.org/cvss/v3.1/specification-document, section 5. */
function severityOfScore(score: number | undefined): NpmSeverity | undefined {
  if (score === undefined) return undefined;
  if (score >= 9) return 3;
  if (score >= 7) return 2;
  return score >= 4 ? 1 : 0;
}

/** The older vectors first: their score is exact. */
function scoreIn(fields: JsonObject, { scoreOf }: NpmOsvOptions): number | undefined {
  const scores = vectorsOf(fields).toSorted().map(scoreOf);
  return scores.find((one) => one !== undefined);
}

/** What clients show beside the severity; version 3 is what they know. */
function cvssOf(document: JsonObject, { scoreOf }: NpmOsvOptions): Cvss | undefined {
  const vectorString = vectorsOf(document).find((one) => one.startsWith("CVSS:3."));
  const score = vectorString === undefined ? undefined : scoreOf(vectorString);
  return vectorString === undefined || score === undefined ? undefined : { score, vectorString };
}

function vectorsOf({ severity }: JsonObject): readonly string[] {
  return listOf(severity).flatMap((one) =>
    isObject(one) && isText(one["score"]) ? [one["score"]] : [],
  );
}

function cweOf({ database_specific: more }: JsonObject): readonly string[] {
  const ids = stringListOf(isObject(more) ? more["cwe_ids"] : undefined);
  return ids.filter((id) => /^CWE-\d{1,6}$/.test(id)).slice(0, CWE_MAX);
}

/** One line, without what a terminal would take for a command. */
function titleOf(id: string, { summary, details }: JsonObject): string {
  const text = [summary, details].find((one) => isText(one) && one.trim() !== "");
  const [line = ""] = isText(text) ? text.trim().split(/[\r\n]/, 1) : [];
  const plain = line
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ")
    .trim();
  return plain.slice(0, TITLE_LENGTH_MAX).toWellFormed() || id;
}

/** The page a person is sent to. */
function pageOf(id: string, document: JsonObject): string {
  if (GITHUB_ID.test(id)) return `https://github.com/advisories/GHSA${id.slice(4).toLowerCase()}`;
  const references = listOf(document["references"]).filter(isObject);
  const advisory = references.find((one) => one["type"] === "ADVISORY" && isPage(one["url"]));
  const url = advisory?.["url"];
  return isText(url) ? url : `https://osv.dev/vulnerability/${encodeURIComponent(id)}`;
}

function isPage(url: unknown): boolean {
  if (!isText(url) || url.length > URL_LENGTH_MAX || !URL.canParse(url)) return false;
  return /^https?:\/\/[\x21-\x7e]+$/i.test(url);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
