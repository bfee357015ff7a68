import { resolve } from "node:path";
import type { AdvisorySourceLocation } from "@sealhouse/advisories";
import type { Section } from "@sealhouse/settings";
import type { Settings } from "./settings.ts";

/** Of all protocols: what is known of packages comes from the same places. */
export type VulnerabilitiesConfig = {
  /** In the order of the settings; no two have one name. */
  readonly sources: readonly AdvisorySourceLocation[];
  readonly refreshIntervalMs: number;
};

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const NAME_RULE = "allowed: up to 64 letters, digits and . _ -";

export function parseVulnerabilities(settings: Settings): VulnerabilitiesConfig {
  const sources = new Map<string, AdvisorySourceLocation>();
  const sections = [
    ...settings.get("Feed__Vulnerabilities__Sources"),
    ...settings.get("Feed__NuGet__Vulnerabilities__Sources"),
  ];
  for (const section of sections) {
    const source = parseSource(settings, section);
    if (!source) continue;
    if (sources.has(source.name)) {
      settings.problem(`${section.key}__Name`, "another source has this name");
    }
    sources.set(source.name, source);
  }
  return {
    sources: [...sources.values()],
    refreshIntervalMs:
      settings.get("Feed__Vulnerabilities__RefreshInterval") ??
      settings.get("Feed__NuGet__Vulnerabilities__RefreshInterval"),
  };
}

/** Also for names that come from the command line. */
export function isSourceName(name: string): boolean {
  return NAME.test(name);
}

function parseSource(
  settings: Settings,
  { key, fields }: Section,
): AdvisorySourceLocation | undefined {
  const { Name: name, Path: path, Url: url } = fields;
  if (name === undefined || !isSourceName(name)) {
    settings.problem(`${key}__Name`, `a source of advisories needs a name; ${NAME_RULE}`);
    return undefined;
  }
  const location = url ?? (path === undefined ? undefined : resolve(path));
  if (location === undefined || (url !== undefined && path !== undefined)) {
    settings.problem(key, "set either Path or Url");
    return undefined;
  }
  return { name, location };
}
