import Range from "semver/classes/range.js";
import compare from "semver/functions/compare.js";
import { matchAdvisories } from "./matching.ts";
import type { NpmAdvisory } from "./ports.ts";

/**
 * Returns the advisory that a version is the fix of: the advisory affects older versions up to
 * exactly this one, and none of the `known` advisories affects it. Undefined without one.
 */
export function advisoryFixedBy(
  version: string,
  advisories: readonly NpmAdvisory[],
  known: readonly NpmAdvisory[] = advisories,
): NpmAdvisory | undefined {
  const fixed = advisories.find(({ versions }) => endsBefore(versions, version));
  return fixed && matchAdvisories("", known, [version]).length === 0 ? fixed : undefined;
}

function endsBefore(range: string, version: string): boolean {
  try {
    return new Range(range, { loose: true }).set
      .flat()
      .some(({ operator, semver }) => operator === "<" && compare(semver, version) === 0);
  } catch {
    return false;
  }
}
