import type { JsonObject } from "../json.ts";
import type { NpmVersion } from "../npm-version.ts";
import type { NpmPackage } from "../ports.ts";
import type { PastPackage } from "./ports.ts";
import { visibleTags } from "./visible-tags.ts";

/** Returns a version in the state that documents show; undefined hides it. */
export type VisibilityRule = (version: NpmVersion) => NpmVersion | undefined;

/**
 * Returns the part of a package that documents show: the versions that a rule shows, and their
 * tags. This is the only place that hides versions; documents are rendered from its result.
 * Undefined when no version is visible.
 */
export function visiblePackage(found: NpmPackage, rule: VisibilityRule): NpmPackage | undefined {
  const versions = found.versions.flatMap((version) => rule(version) ?? []);
  const [first] = versions;
  if (!first) return undefined;
  const shown = versions.map(({ version }) => version);
  const distTags = visibleTags(found.distTags, shown, (version) => platformOf(found, version));
  return { ...found, versions, distTags };
}

/** Returns the rule of a view: it shows versions that existed then and have the same bytes now. */
export function ruleOfPast({ versions }: Pick<PastPackage, "versions">): VisibilityRule {
  return ({ deprecated: _deprecated, ...version }) => {
    const then = versions.get(version.version);
    if (then?.integrity !== version.integrity) return undefined;
    const { deprecated } = then;
    return { ...version, ...(deprecated !== undefined && { deprecated }) };
  };
}

/** Returns a package in the state of a time; undefined when all its versions of then are gone. */
export function packageAsOf(found: NpmPackage, past: PastPackage): NpmPackage | undefined {
  const { readme, readmeFilename, maintainers: _maintainers, ...all } = found;
  // The source may have unpublished versions later.
  const { removedTimes: _removed, unpublished: _unpublished, ...rest } = all;
  const latest = found.distTags["latest"];
  // The history of tags may be shorter than that of versions.
  const distTags = { ...(latest !== undefined && { latest }), ...past.distTags };
  // A package has one README, that of its latest version.
  const isSameReadme = past.distTags["latest"] === latest;
  return visiblePackage(
    {
      ...rest,
      distTags,
      modifiedAt: past.changedAt,
      ...(past.maintainers && { maintainers: past.maintainers }),
      ...(isSameReadme && readme !== undefined && { readme }),
      ...(isSameReadme && readmeFilename !== undefined && { readmeFilename }),
    },
    ruleOfPast(past),
  );
}

function platformOf({ versions }: NpmPackage, wanted: string): string | undefined {
  const found = versions.find(({ version }) => version === wanted);
  if (!found) return undefined;
  const { os, cpu } = JSON.parse(found.abbreviated) as JsonObject;
  return JSON.stringify([os, cpu]);
}
