import { TokenSettingError, coversName, parsePatterns } from "@sealhouse/identity";
import type { TagRule, TagsToKeep } from "@sealhouse/oci-distribution";
import type { Section } from "@sealhouse/settings";
import type { Settings } from "./settings.ts";

/** What becomes of the tags of container images. */
export type OciTagsConfig = {
  readonly rules: readonly TagRule[];
  readonly retention: {
    /** Whether the host applies the rules by itself. */
    readonly enabled: boolean;
    readonly dryRun: boolean;
    /** From the end of one run to the start of the next. */
    readonly everyMs: number;
  };
};

export function parseOciTags(settings: Settings): OciTagsConfig {
  return {
    rules: settings.get("Feed__Oci__TagRules").map((section) => parseRule(settings, section)),
    retention: {
      enabled: settings.get("Feed__Operations__OciRetention__Enabled"),
      dryRun: settings.get("Feed__Operations__OciRetention__DryRun"),
      everyMs: settings.get("Feed__Operations__OciRetention__Interval"),
    },
  };
}

/** Without one, no tag ever goes. */
export function hasKeepRule({ rules }: Pick<OciTagsConfig, "rules">): boolean {
  return rules.some(({ keep }) => keep !== undefined);
}

function parseRule(settings: Settings, section: Section): TagRule {
  const { key, fields } = section;
  const immutable = fields["Immutable"] === "true";
  const keep = parseKeep(settings, section);
  const untagged = fields["KeepUntagged"];
  if (!immutable && keep === undefined && untagged === undefined) {
    settings.problem(key, "says nothing: set Immutable, KeepNewest, KeepPushedWithin, …");
  }
  return {
    name: fields["Name"] ?? key,
    coversRepository: namesIn(settings, section, "Repositories", "**"),
    coversTag: namesIn(settings, section, "Tags", "*"),
    immutable,
    ...(keep && { keep }),
    ...(untagged !== undefined && { keepUntaggedMs: spanOf(Number(untagged)) }),
  };
}

function parseKeep(settings: Settings, section: Section): TagsToKeep | undefined {
  const { key, fields } = section;
  const newest = fields["KeepNewest"];
  const pushed = fields["KeepPushedWithin"];
  const pulled = fields["KeepPulledWithin"];
  const always = namesIn(settings, section, "KeepTags");
  if ([newest, pushed, pulled].every((one) => one === undefined)) {
    if (fields["KeepTags"] === undefined) return undefined;
    settings.problem(
      `${key}__KeepTags`,
      "needs KeepNewest, KeepPushedWithin or KeepPulledWithin beside it; " +
        "without one, every tag stays",
    );
  }
  return {
    ...(newest !== undefined && { newest: Number(newest) }),
    ...(pushed !== undefined && { pushedWithinMs: Number(pushed) }),
    ...(pulled !== undefined && { pulledWithinMs: Number(pulled) }),
    always,
  };
}

/** Names as patterns of tokens cover them; without patterns, those that `otherwise` covers. */
function namesIn(
  settings: Settings,
  { key, fields }: Section,
  field: string,
  otherwise = "",
): (name: string) => boolean {
  const patterns = patternsIn(settings, `${key}__${field}`, fields[field] ?? otherwise);
  return (name) => patterns.some((pattern) => coversName(pattern, "oci", name));
}

function patternsIn(settings: Settings, key: string, text: string): readonly string[] {
  try {
    return parsePatterns(text);
  } catch (error) {
    if (!(error instanceof TokenSettingError)) throw error;
    settings.problem(key, error.message.replace("A token has", "A rule has"));
    return [];
  }
}

/** A negative span is for ever. */
function spanOf(ms: number): number {
  return ms < 0 ? Number.POSITIVE_INFINITY : ms;
}
