import { compareVersionTexts } from "./package-version.ts";
import type { PackageRecord } from "./ports.ts";

/**
 * Every version of a package, listed or not, in the form of its download address, ascending. This
 * is all that a restore asks. Undefined for a package without versions.
 */
export function versionsDocument(records: readonly PackageRecord[]): object | undefined {
  if (records.length === 0) return undefined;
  const versions = records.map((record) => record.version).toSorted(compareVersionTexts);
  return { versions: versions.map((version) => version.toLowerCase()) };
}
