import { createHash } from "node:crypto";
import Range from "semver/classes/range.js";
import parse from "semver/functions/parse.js";
import type { NpmAdvisory } from "./ports.ts";

/** Matches a version with the range of an advisory like npm's clients. */
const RANGE_OPTIONS = { loose: true, includePrerelease: true } as const;

/** An advisory in the form of clients, and the requested versions that it affects. */
export type Match = {
  /** The same on every host and after every import, for lists of what is ignored. */
  readonly id: number;
  readonly advisory: NpmAdvisory;
  readonly versions: readonly string[];
};

/** Advisories of a package that affect any of these versions, most severe first. */
export function matchAdvisories(
  name: string,
  advisories: readonly NpmAdvisory[],
  versions: Iterable<string>,
): readonly Match[] {
  if (advisories.length === 0) return [];
  const parsed = [...versions].flatMap((text) => {
    const version = parse(text, { loose: true });
    return version ? [{ text, version }] : [];
  });
  return distinctAdvisories(name, advisories).flatMap(({ id, advisory }) => {
    const range = rangeOf(advisory.versions);
    const affected = range ? parsed.filter(({ version }) => range.test(version)) : [];
    return affected.length === 0 ? [] : [{ id, advisory, versions: affected.map((a) => a.text) }];
  });
}

/** Several sources tell the same: each statement once, with the highest severity that any of them
 * gives it and all versions that any of them names. */
function distinctAdvisories(
  name: string,
  advisories: readonly NpmAdvisory[],
): readonly Omit<Match, "versions">[] {
  const distinct = new Map<string, NpmAdvisory>();
  for (const advisory of advisories) {
    const key = advisory.advisoryId ?? advisory.url;
    const knownAdvisory = distinct.get(key);
    distinct.set(key, knownAdvisory ? together(knownAdvisory, advisory) : advisory);
  }
  return [...distinct]
    .map(([key, advisory]) => ({ id: idOf(name, key), advisory }))
    .toSorted((a, b) => b.advisory.severity - a.advisory.severity || a.id - b.id);
}

function together(advisory: NpmAdvisory, other: NpmAdvisory): NpmAdvisory {
  const [graver, milder] =
    advisory.severity >= other.severity ? [advisory, other] : [other, advisory];
  const ranges = new Set([...graver.versions.split(" || "), ...milder.versions.split(" || ")]);
  return { ...milder, ...graver, versions: [...ranges].join(" || ") };
}

/** 31 bits: every client can keep that. */
function idOf(name: string, key: string): number {
  return createHash("sha256").update(`${name}\n${key}`).digest().readUInt32BE() >>> 1;
}

/** Whether a text is a range of versions. */
export function isRange(text: string): boolean {
  return rangeOf(text) !== undefined;
}

/** Undefined for what is none: whatever wrote it, an answer must not fail for it. */
function rangeOf(text: string): Range | undefined {
  try {
    return new Range(text, RANGE_OPTIONS);
  } catch {
    return undefined;
  }
}
