import type { Nuspec } from "../manifest/nuspec.ts";

/** Advice for the author of an accepted package: one sentence each. */
export function packageWarnings(nuspec: Nuspec): readonly string[] {
  const { license, licenseUrl, icon, iconUrl, readme } = nuspec;
  const warnings: string[] = [];
  if (license === undefined) {
    warnings.push(
      licenseUrl === undefined
        ? "The package has no license; add <license>."
        : "<licenseUrl> is deprecated; use <license> instead.",
    );
  }
  if (icon === undefined && iconUrl !== undefined) {
    warnings.push("<iconUrl> is deprecated; use <icon> instead.");
  }
  if (readme === undefined) {
    warnings.push("The package has no readme; add <readme>, so that people see what it is for.");
  }
  return warnings;
}
