import { readFileSync } from "node:fs";
import { readNuGetConfig } from "@sealhouse/nuget-protocol/client";
import type { ConfiguredSource, NuGetConfig } from "@sealhouse/nuget-protocol/client";
import type { Settings } from "@sealhouse/settings";
import { createSource } from "../sources/create-source.ts";
import type { KeyedSource } from "./parse-registries.ts";
import type { SourceFallbacks } from "./parse-source.ts";
import { UPSTREAM_SETTINGS } from "./table.ts";

const KEY = "Mirror__NuGetConfigPath";
const HOUR_MS = 60 * 60 * 1000;

export type NuGetConfigSources = {
  readonly sources: readonly KeyedSource[];
  /** Sentences for the log. */
  readonly warnings: readonly string[];
};

/** Reads the sources of the file `Mirror__NuGetConfigPath`, in the order of the file. */
export function parseNuGetConfig(
  settings: Settings,
  fallbacks: SourceFallbacks,
): NuGetConfigSources {
  const path = settings.of(UPSTREAM_SETTINGS).get(KEY);
  const bytes = path === undefined ? undefined : fileOf(settings, path);
  if (!bytes) return { sources: [], warnings: [] };
  const outcome = readNuGetConfig(bytes, settings.env);
  if (outcome.status === "unreadable") {
    settings.problem(KEY, outcome.problem);
    return { sources: [], warnings: [] };
  }
  const { config } = outcome;
  return {
    sources: config.sources.map((source, index) => ({
      key: KEY,
      source: sourceOf(source, index, { config, fallbacks }),
    })),
    warnings: config.remarks.map(({ text }) => `${KEY}: ${text}`),
  };
}

function sourceOf(
  { key, url, isDisabled, minPublishAgeHours, credentials }: ConfiguredSource,
  index: number,
  { config, fallbacks }: { readonly config: NuGetConfig; readonly fallbacks: SourceFallbacks },
) {
  const mapped = config.mapping?.find((one) => one.key.toLowerCase() === key.toLowerCase());
  return createSource({
    name: nameOf(key),
    protocol: "nuget",
    url,
    from: "configuration",
    priority: 100 + index,
    ...fallbacks,
    // With a mapping, a source outside of it is asked for nothing.
    isEnabled: !isDisabled && (config.mapping === undefined || mapped !== undefined),
    ...(credentials && { credentials }),
    settings: {
      allow: mapped?.patterns ?? [],
      ...(minPublishAgeHours !== undefined && {
        minimumReleaseAgeMs: minPublishAgeHours * HOUR_MS,
      }),
    },
  });
}

/** The key of a source may have any characters. */
function nameOf(key: string): string {
  const name = key.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return name.slice(0, 64) || "nuget-config";
}

function fileOf(settings: Settings, path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    settings.problem(KEY, `the file cannot be read: ${reason}`);
    return undefined;
  }
}
