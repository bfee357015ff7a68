import { OSV_BYTES_MAX } from "@sealhouse/advisories";
import { readNpmOsv } from "@sealhouse/npm-protocol";
import type { NewNpmAdvisory } from "@sealhouse/npm-protocol";
import type { NewAdvisory } from "@sealhouse/nuget-protocol";
import { readNuGetOsv } from "@sealhouse/nuget-protocol/advisories";

/** What a document says about the packages of each protocol. */
export type OsvReading = {
  readonly nuget: readonly NewAdvisory[];
  readonly npm: readonly NewNpmAdvisory[];
  /** What could not be taken over, and why. */
  readonly problems: readonly string[];
};

export const NOTHING_READ: OsvReading = { nuget: [], npm: [], problems: [] };

/** Of an ecosystem's name as OSV writes it, in whatever letters. */
const MENTIONED = ["NuGet", "nuget", '"npm"'];

export function readOsvDocument(document: unknown): OsvReading {
  const nuget = readNuGetOsv(document);
  const npm = readNpmOsv(document);
  return {
    nuget: nuget.advisories,
    npm: npm.advisories,
    problems: [...new Set([...nuget.problems, ...npm.problems])],
  };
}

/** @param text one OSV document, as JSON */
export function readOsvText(text: string): OsvReading {
  if (text.length > OSV_BYTES_MAX)
    return unread(`a document is larger than ${OSV_BYTES_MAX} bytes`);
  try {
    return readOsvDocument(JSON.parse(text));
  } catch {
    return unread("a document is no JSON");
  }
}

/** Most documents are about other packages, and are not even parsed. */
export function readOsvBytes(bytes: Buffer): OsvReading {
  return MENTIONED.some((name) => bytes.includes(name))
    ? readOsvText(bytes.toString())
    : NOTHING_READ;
}

export function unread(problem: string): OsvReading {
  return { ...NOTHING_READ, problems: [problem] };
}
