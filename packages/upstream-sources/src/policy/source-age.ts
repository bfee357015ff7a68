import type { PackageSource } from "../sources/package-source.ts";
import type { SourceAge } from "./wanted-version.ts";

/** Returns the age that versions of a source must have; undefined for packages of this registry. */
export function ageOf(source: PackageSource | undefined): SourceAge | undefined {
  if (!source) return undefined;
  return { name: source.name, minimumReleaseAgeMs: source.settings.minimumReleaseAgeMs };
}
