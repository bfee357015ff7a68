import { createHash } from "node:crypto";
import { TooManyAdvisoriesError } from "@sealhouse/advisories";
import type { NewNpmAdvisory } from "./ports.ts";

/**
 * Maximum number of documents of one source. The public databases have a quarter of it, most of it
 * about malware.
 */
const ADVISORIES_MAX = 1_000_000;

export type NpmReplacement = {
  /** Names without a package yet. */
  readonly added: readonly NewNpmAdvisory[];
  /** By fingerprint: all that shall be there. */
  readonly fingerprints: ReadonlySet<string>;
};

/** The same for two advisories that say the same of the same package. */
export function advisoryFingerprint(advisory: NewNpmAdvisory): string {
  const { name, advisoryId = "", severity, title, url, versions, cwe, cvss } = advisory;
  const fields = [name, advisoryId, severity, title, url, versions, cwe];
  const scored = cvss ? [cvss.score, cvss.vectorString] : [];
  return createHash("sha256")
    .update(JSON.stringify([...fields, ...scored]))
    .digest("base64url")
    .slice(0, 22);
}

/** Holds in memory what is new only: the largest sources change a little, day by day.
 * @throws {TooManyAdvisoriesError} */
export async function planNpmReplacement(
  source: string,
  advisories: AsyncIterable<NewNpmAdvisory> | Iterable<NewNpmAdvisory>,
  isKept: (fingerprint: string) => boolean,
): Promise<NpmReplacement> {
  const fingerprints = new Set<string>();
  const added: NewNpmAdvisory[] = [];
  for await (const advisory of advisories) {
    const fingerprint = advisoryFingerprint(advisory);
    if (fingerprints.has(fingerprint)) continue;
    if (fingerprints.size === ADVISORIES_MAX)
      throw new TooManyAdvisoriesError(source, "npm", ADVISORIES_MAX);
    fingerprints.add(fingerprint);
    if (!isKept(fingerprint)) added.push(advisory);
  }
  return { added, fingerprints };
}
