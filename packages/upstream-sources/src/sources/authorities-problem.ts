import { readFileSync } from "node:fs";
import type { PackageSource } from "./package-source.ts";
import type { SourceProblem } from "./source-problems.ts";

/** Reads the file with the certificate authorities of a source, and returns why it is unusable. */
export function authoritiesProblems({
  settings: { caPath },
}: Pick<PackageSource, "settings">): readonly SourceProblem[] {
  if (caPath === undefined) return [];
  try {
    if (readFileSync(caPath, "utf8").includes("-----BEGIN CERTIFICATE-----")) return [];
    return [{ part: "CaPath", words: `${caPath} has no PEM certificate` }];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ part: "CaPath", words: `cannot be read: ${reason}` }];
  }
}
