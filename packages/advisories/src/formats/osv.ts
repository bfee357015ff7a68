import { pageOf } from "./advisory-page.ts";
import type { AffectedRange, VersionOrder } from "./affected-ranges.ts";
import { affectedRanges } from "./affected-ranges.ts";
import type { JsonObject } from "./json-value.ts";
import { listOf, objectOf, shown, textOf } from "./json-value.ts";
import type { Cvss, Severity } from "./severity.ts";
import { cvssOf, severityOf } from "./severity.ts";

/** Data of an OSV document that applies to all its packages. */
export type OsvStatement = {
  readonly id: string;
  /** One line without control characters. */
  readonly title: string;
  /** The page about it for people. */
  readonly url: string;
  /** `CWE-79`. */
  readonly cwe: readonly string[];
  readonly cvss?: Cvss;
};

/** One package of a document, with the ranges of all its entries. */
export type AffectedPackage<Version> = {
  readonly name: string;
  readonly severity: Severity;
  readonly ranges: readonly AffectedRange<Version>[];
};

/** Reader of OSV documents for one protocol. */
export type OsvEcosystem<Version, Advisory> = VersionOrder<Version> & {
  /** As OSV spells it: `NuGet`. Case does not count. */
  readonly name: string;
  /** The name in the form that the registry compares; `undefined` for a text that is not a name. */
  readonly parseName: (text: string) => string | undefined;
  readonly advisoriesOf: (
    affected: AffectedPackage<Version>,
    statement: OsvStatement,
  ) => OsvReading<Advisory>;
};

/** The advisories of one document, and the problems of skipped parts. */
export type OsvReading<Advisory> = {
  /** Empty when the document names no package of the ecosystem, or was withdrawn. */
  readonly advisories: readonly Advisory[];
  /** Reasons for skipping; each begins with the document's id. */
  readonly problems: readonly string[];
};

/** Bytes of one document. The largest of the public databases have some hundred KiB. */
export const OSV_BYTES_MAX = 4 * 1024 * 1024;

const AFFECTED_MAX = 10_000;
const PROBLEMS_MAX = 10;
const TITLE_LENGTH_MAX = 500;
const CWE_MAX = 50;
const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** Reads what a document of the OSV schema states about the packages of an ecosystem. */
export function readOsv<Version, Advisory>(
  document: unknown,
  ecosystem: OsvEcosystem<Version, Advisory>,
): OsvReading<Advisory> {
  const fields = objectOf(document);
  const id = textOf(fields["id"]) ?? "";
  if (!ID.test(id)) return { advisories: [], problems: ["a document has no OSV id"] };
  if (textOf(fields["withdrawn"]) !== undefined) return { advisories: [], problems: [] };
  const ecosystemName = ecosystem.name.toLowerCase();
  const affected = listOf(fields["affected"]).filter(
    (entry) => ecosystemOf(entry) === ecosystemName,
  );
  if (affected.length === 0) return { advisories: [], problems: [] };
  if (affected.length > AFFECTED_MAX) {
    return { advisories: [], problems: [`${id}: names more than ${AFFECTED_MAX} packages`] };
  }
  const problems: string[] = [];
  const statement = statementOf(id, fields);
  const advisories = [...packagesOf(fields, { affected, ecosystem, problems })].flatMap(
    (affectedPackage) => {
      const read = ecosystem.advisoriesOf(affectedPackage, statement);
      problems.push(...read.problems.map((problem) => `${affectedPackage.name}: ${problem}`));
      return read.advisories;
    },
  );
  return {
    advisories,
    problems: problems.slice(0, PROBLEMS_MAX).map((problem) => `${id}: ${problem}`),
  };
}

/** Combines the entries of one package, because GitHub writes one entry per range. */
function packagesOf<Version, Advisory>(
  document: JsonObject,
  from: {
    readonly affected: readonly unknown[];
    readonly ecosystem: OsvEcosystem<Version, Advisory>;
    readonly problems: string[];
  },
): Iterable<AffectedPackage<Version>> {
  const { affected, ecosystem, problems } = from;
  const packages = new Map<
    string,
    { name: string; severity: Severity; ranges: AffectedRange<Version>[] }
  >();
  for (const entry of affected.map(objectOf)) {
    const text = textOf(objectOf(entry["package"])["name"]) ?? "";
    const name = ecosystem.parseName(text);
    if (name === undefined) {
      problems.push(`${shown(text)} is not a package name`);
      continue;
    }
    const read = affectedRanges(entry, ecosystem);
    problems.push(...read.problems.map((problem) => `${text}: ${problem}`));
    if (read.ranges.length === 0 && read.problems.length === 0) {
      problems.push(`${text}: the entry names no version`);
    }
    const severity = severityOf(document, entry);
    const knownPackage = packages.get(name) ?? { name, severity, ranges: [] };
    if (severity > knownPackage.severity) knownPackage.severity = severity;
    knownPackage.ranges.push(...read.ranges);
    packages.set(name, knownPackage);
  }
  return packages.values();
}

function ecosystemOf(affected: unknown): string | undefined {
  return textOf(objectOf(objectOf(affected)["package"])["ecosystem"])?.toLowerCase();
}

function statementOf(id: string, document: JsonObject): OsvStatement {
  const cvss = cvssOf(document);
  return {
    id,
    title: titleOf(document) ?? id,
    url: pageOf(id, document),
    cwe: cweOf(document),
    ...(cvss && { cvss }),
  };
}

function cweOf({ database_specific: more }: JsonObject): readonly string[] {
  const ids = listOf(objectOf(more)["cwe_ids"]).filter((id) => typeof id === "string");
  return ids.filter((id) => /^CWE-\d{1,6}$/.test(id)).slice(0, CWE_MAX);
}

/** The first line of the summary or the details, without control characters of terminals. */
function titleOf({ summary, details }: JsonObject): string | undefined {
  const text = [summary, details].map(textOf).find((candidate) => candidate?.trim());
  const [line = ""] = text?.trim().split(/[\r\n]/, 1) ?? [];
  const plain = line
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ")
    .trim();
  return plain.slice(0, TITLE_LENGTH_MAX).toWellFormed() || undefined;
}
