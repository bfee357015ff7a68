import { resolve } from "node:path";
import type { Section, Settings } from "@sealhouse/settings";
import type { AdvisorySourceLocation } from "../ports.ts";
import { ADVISORY_SETTINGS } from "./table.ts";

/** The sources of advisories of all protocols. */
export type AdvisorySourcesConfig = {
  /** In the order of the settings; names are unique. */
  readonly sources: readonly AdvisorySourceLocation[];
  readonly refreshIntervalMs: number;
};

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const NAME_RULE = "allowed: up to 64 letters, digits and . _ -";

export function parseAdvisorySources(settings: Settings): AdvisorySourcesConfig {
  const own = settings.of(ADVISORY_SETTINGS);
  const sources = new Map<string, AdvisorySourceLocation>();
  const sections = [
    ...own.get("Feed__Vulnerabilities__Sources"),
    ...own.get("Feed__NuGet__Vulnerabilities__Sources"),
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
      own.get("Feed__Vulnerabilities__RefreshInterval") ??
      own.get("Feed__NuGet__Vulnerabilities__RefreshInterval"),
  };
}

/** Whether a text can be the name of a source. */
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
  return { name, location, setting: `${key}__${url === undefined ? "Path" : "Url"}` };
}
