import type { Settings } from "@sealhouse/settings";
import type { PackageSource } from "../sources/package-source.ts";
import { authoritiesProblems } from "../sources/authorities-problem.ts";
import { sourceProblems } from "../sources/source-problems.ts";
import type { SourceSurroundings } from "../sources/source-problems.ts";
import { parseNuGetConfig } from "./parse-nuget-config.ts";
import { parsePackageSource } from "./parse-package-source.ts";
import type { KeyedSource } from "./parse-registries.ts";
import { parseRegistries } from "./parse-registries.ts";
import { parseSource } from "./parse-source.ts";
import type { SourceFallbacks } from "./parse-source.ts";
import { UPSTREAM_SETTINGS } from "./table.ts";

export type MirrorConfig = {
  /** False disables all sources, those in the database too. */
  readonly isEnabled: boolean;
  /** Whether no source is ever called. */
  readonly isOffline: boolean;
  /** Calls for absent names that anonymous requests of a network may cause in ten minutes. */
  readonly absentNamesPerNetwork: number;
  /** Sources of advisories whose fixes do not wait for the least age. */
  readonly fastLane: readonly string[];
  /** Values of sources that set none. */
  readonly fallbacks: SourceFallbacks;
  /** Configured sources. Sources in the database replace all of them. */
  readonly sources: readonly PackageSource[];
  /** Sentences for the log. */
  readonly warnings: readonly string[];
};

/** Reads all configured sources; adds a problem for each that cannot be used. */
export function parseMirror(settings: Settings, surroundings: SourceSurroundings): MirrorConfig {
  const own = settings.of(UPSTREAM_SETTINGS);
  const fallbacks = {
    strategy: own.get("Mirror__DefaultCachingStrategy"),
    signaturePolicy: own.get("Mirror__DefaultSignaturePolicy"),
  };
  const listed = own.get("PackageSources").flatMap((section) => {
    const source = parseSource(settings, section, fallbacks);
    return source ? [{ key: section.key, source }] : [];
  });
  const file = parseNuGetConfig(settings, fallbacks);
  const all = [
    ...listed,
    ...parsePackageSource(settings, fallbacks),
    ...file.sources,
    ...parseRegistries(settings, fallbacks),
  ];
  const isEnabled = own.get("Mirror__Enabled") ?? true;
  if (isEnabled) refuseSources(settings, all, surroundings);
  return {
    isEnabled,
    isOffline: own.get("Mirror__Offline"),
    absentNamesPerNetwork: own.get("Mirror__MaxAbsentNamesPerNetwork"),
    fastLane: own.get("Mirror__FastLaneAdvisories"),
    fallbacks,
    sources: all.map(({ source }) => source),
    warnings: file.warnings,
  };
}

function refuseSources(
  settings: Settings,
  all: readonly KeyedSource[],
  surroundings: SourceSurroundings,
): void {
  const keys = new Map<string, string>();
  for (const { key, source } of all) {
    const problems = [...sourceProblems(source, surroundings), ...authoritiesProblems(source)];
    for (const { part, words } of problems) {
      settings.problem(keyOf(key, part), words);
    }
    const other = keys.get(source.name.toLowerCase());
    if (other !== undefined) {
      const words = `the source of ${other} has the name "${source.name}", too`;
      settings.problem(keyOf(key, "Name"), words);
    }
    keys.set(source.name.toLowerCase(), key);
  }
}

/** Only `PackageSources` has a key for each part of a source. */
function keyOf(key: string, part: string): string {
  return key.toLowerCase().startsWith("packagesources__") ? `${key}__${part}` : key;
}
