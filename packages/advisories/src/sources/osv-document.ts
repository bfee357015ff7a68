import { OSV_BYTES_MAX } from "../formats/osv.ts";
import type { AdvisoryReaders } from "../ports.ts";

/** Advisories of a document for each protocol. */
export type SourceReading<NuGet, Npm> = {
  readonly nuget: readonly NuGet[];
  readonly npm: readonly Npm[];
  /** Reasons for skipped parts. */
  readonly problems: readonly string[];
};

export const NOTHING_READ: SourceReading<never, never> = { nuget: [], npm: [], problems: [] };

/** The names of ecosystems as documents write them. */
const MENTIONED = ["NuGet", "nuget", '"npm"'];

export function readOsvDocument<NuGet, Npm>(
  document: unknown,
  readers: AdvisoryReaders<NuGet, Npm>,
): SourceReading<NuGet, Npm> {
  const nuget = readers.readNuGetOsv(document);
  const npm = readers.readNpmOsv(document);
  return {
    nuget: nuget.advisories,
    npm: npm.advisories,
    // Both readers report a document that is not OSV.
    problems: [...new Set([...nuget.problems, ...npm.problems])],
  };
}

/** @param text one OSV document, as JSON */
export function readOsvText<NuGet, Npm>(
  text: string,
  readers: AdvisoryReaders<NuGet, Npm>,
): SourceReading<NuGet, Npm> {
  if (text.length > OSV_BYTES_MAX)
    return unread(`a document is larger than ${OSV_BYTES_MAX} bytes`);
  try {
    return readOsvDocument(JSON.parse(text), readers);
  } catch {
    return unread("a document is not JSON");
  }
}

/** Most documents are about other ecosystems; they are not even parsed. */
export function readOsvBytes<NuGet, Npm>(
  bytes: Buffer,
  readers: AdvisoryReaders<NuGet, Npm>,
): SourceReading<NuGet, Npm> {
  return MENTIONED.some((name) => bytes.includes(name))
    ? readOsvText(bytes.toString(), readers)
    : NOTHING_READ;
}

export function unread(problem: string): SourceReading<never, never> {
  return { ...NOTHING_READ, problems: [problem] };
}
