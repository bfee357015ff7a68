import { mergeRanges, readOsv } from "@sealhouse/advisories";
import type { OsvEcosystem, OsvReading } from "@sealhouse/advisories";
import { isPackageId, lowerId } from "../notation/package-id.ts";
import type { PackageVersion } from "../notation/package-version.ts";
import { comparePackageVersions, parsePackageVersion } from "../notation/package-version.ts";
import { formatVersionRange, parseVersionRange } from "../notation/version-range.ts";
import type { NewAdvisory } from "./ports.ts";

const NUGET: OsvEcosystem<PackageVersion, NewAdvisory> = {
  name: "NuGet",
  parseName: (text) => (isPackageId(text) ? lowerId(text) : undefined),
  parseVersion: parsePackageVersion,
  compareVersions: comparePackageVersions,
  advisoriesOf({ name, severity, ranges }, { id, url }) {
    const texts = mergeRanges(ranges, NUGET).map(formatVersionRange);
    const readable = texts.filter((text) => parseVersionRange(text) !== undefined);
    return {
      advisories: readable.map((versions) => ({
        id: name,
        severity,
        url,
        versions,
        advisoryId: id,
      })),
      problems: readable.length < texts.length ? ["a range is too long"] : [],
    };
  },
};

/** Reads an OSV document: one advisory for each NuGet package and range. */
export function readNuGetOsv(document: unknown): OsvReading<NewAdvisory> {
  return readOsv(document, NUGET);
}
