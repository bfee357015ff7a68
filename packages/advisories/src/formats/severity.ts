import { cvssBaseScore } from "./cvss.ts";
import type { JsonObject } from "./json-value.ts";
import { listOf, objectOf, textOf } from "./json-value.ts";

/** Low, moderate, high, critical. */
export type Severity = 0 | 1 | 2 | 3;

/** A CVSS base score and the vector that it belongs to. */
export type Cvss = {
  /** 0 to 10. */
  readonly score: number;
  readonly vectorString: string;
};

const NAMED: ReadonlyMap<string, Severity> = new Map([
  ["LOW", 0],
  ["MODERATE", 1],
  ["MEDIUM", 1],
  ["HIGH", 2],
  ["CRITICAL", 3],
]);
/** Severity of documents that state none. */
const UNKNOWN: Severity = 1;
/** Severity of malware reports. */
const MALICIOUS: Severity = 3;

/**
 * Returns the severity of an affected package. It uses the database's severity name
 * (`database_specific.severity`) of the package, else of the document, else the CVSS base score. A
 * malware report (`MAL-…`) is critical; anything else is moderate.
 */
export function severityOf(document: JsonObject, affected: JsonObject): Severity {
  const namedSeverities = [affected, document].map((fields) => {
    const text = textOf(objectOf(fields["database_specific"])["severity"]);
    return NAMED.get(text?.toUpperCase() ?? "");
  });
  const scored = [affected, document].map((fields) => severityOfScores(fields));
  const stated = [...namedSeverities, ...scored].find((severity) => severity !== undefined);
  if (stated !== undefined) return stated;
  return textOf(document["id"])?.startsWith("MAL-") === true ? MALICIOUS : UNKNOWN;
}

/** The score and vector that clients show. They know version 3. */
export function cvssOf(document: JsonObject): Cvss | undefined {
  const vectorString = vectorsOf(document).find((vector) => vector.startsWith("CVSS:3."));
  const score = vectorString === undefined ? undefined : cvssBaseScore(vectorString);
  return vectorString === undefined || score === undefined ? undefined : { score, vectorString };
}

/** By the scale of CVSS: https://www.first.org/cvss/v3.1/specification-document, section 5. */
function severityOfScores(fields: JsonObject): Severity | undefined {
  // The older vectors first: their score is exact.
  const scores = vectorsOf(fields).toSorted().map(cvssBaseScore);
  const score = scores.find((candidate) => candidate !== undefined);
  if (score === undefined) return undefined;
  if (score >= 9) return 3;
  if (score >= 7) return 2;
  return score >= 4 ? 1 : 0;
}

function vectorsOf({ severity }: JsonObject): readonly string[] {
  return listOf(severity).flatMap((entry) => textOf(objectOf(entry)["score"]) ?? []);
}
