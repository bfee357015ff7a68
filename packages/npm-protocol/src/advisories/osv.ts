import { readOsv } from "@sealhouse/advisories";
import type { AffectedRange, OsvEcosystem, OsvReading } from "@sealhouse/advisories";
import type SemVer from "semver/classes/semver.js";
import compare from "semver/functions/compare.js";
import parse from "semver/functions/parse.js";
import { parseOldPackageName } from "../package-name.ts";
import type { NewNpmAdvisory } from "./ports.ts";

const NAME_LENGTH_MAX = 214;
const RANGE_LENGTH_MAX = 32 * 1024;

const NPM: OsvEcosystem<SemVer, NewNpmAdvisory> = {
  name: "npm",
  parseName: (text) => (text.length > NAME_LENGTH_MAX ? undefined : parseOldPackageName(text)),
  parseVersion: versionOf,
  compareVersions: (left, right) => compare(left, right),
  advisoriesOf({ name, severity, ranges }, { id, ...statement }) {
    const versions = [...new Set(ranges.map(formatRange))].join(" || ");
    if (versions.length > RANGE_LENGTH_MAX) {
      return { advisories: [], problems: ["its ranges are too long"] };
    }
    const advisory = { ...statement, name, severity, versions, advisoryId: id };
    return { advisories: versions === "" ? [] : [advisory], problems: [] };
  },
};

/** Reads an OSV document: one advisory for each npm package. */
export function readNpmOsv(document: unknown): OsvReading<NewNpmAdvisory> {
  return readOsv(document, NPM);
}

/** A range as semver writes it. */
function formatRange({ lower, upper }: AffectedRange<SemVer>): string {
  const [from, to] = [lower?.version.version, upper?.version.version];
  if (from !== undefined && from === to) return from;
  const sign = upper?.isInclusive === true ? "<=" : "<";
  const bounds = [
    ...(from === undefined ? [] : [`>=${from}`]),
    ...(to === undefined ? [] : [`${sign}${to}`]),
  ];
  return bounds.join(" ") || ">=0";
}

/** Also reads `1` and `1.2`, which people write for `1.0.0` and `1.2.0`. */
function versionOf(input: string): SemVer | undefined {
  const text = /^\d+$/.test(input) ? `${input}.0.0` : input.replace(/^(\d+\.\d+)$/, "$1.0");
  return parse(text, { loose: true }) ?? undefined;
}
