import { parseVersionRange as npmRange } from "@sealhouse/npm-protocol";
import {
  compareVersionTexts,
  parsePackageVersion as nugetVersion,
  parseVersionRange as nugetRange,
  rangeContains,
} from "@sealhouse/nuget-protocol";
import type { Protocol } from "@sealhouse/request-types";

/** A version or a range of a rule. */
export type VersionSpan = { includes(version: string): boolean };

const ALL: VersionSpan = { includes: () => true };
const TAG_OR_DIGEST = /^[\w.:+-]{1,256}$/;

/**
 * Parses the versions of a rule. npm: `1.2.3`, `^1.2.0`, `<2 || 4.x`. NuGet: `1.2.3` for exactly
 * that version, `[1.0,2.0)`. OCI: a tag or a digest. Undefined for anything else.
 */
export function parseVersionSpan(protocol: Protocol, text: string): VersionSpan | undefined {
  if (text === "") return ALL;
  switch (protocol) {
    case "npm":
      return npmRange(text);
    case "nuget":
      return nugetSpan(text);
    case "oci":
      return TAG_OR_DIGEST.test(text) ? { includes: (version) => version === text } : undefined;
  }
}

function nugetSpan(text: string): VersionSpan | undefined {
  if (nugetVersion(text)) {
    return { includes: (version) => compareVersionTexts(version, text) === 0 };
  }
  const range = nugetRange(text);
  if (!range) return undefined;
  return {
    includes(version) {
      const parsed = nugetVersion(version);
      return parsed !== undefined && rangeContains(range, parsed);
    },
  };
}
