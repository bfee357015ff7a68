import type { Nuspec } from "./nuspec.ts";
import type { PackageRecord } from "./ports.ts";

/** What the manifest said, as the record keeps it. */
export function parseDetails({ details }: PackageRecord): Partial<Nuspec> {
  return JSON.parse(details) as Partial<Nuspec>;
}
