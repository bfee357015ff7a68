import type { Section, Settings } from "@sealhouse/settings";
import type { TagRule, TagsToKeep } from "../retention/tag-rules.ts";
import { OCI_SETTINGS } from "./table.ts";

/** Rules about the tags of container images. */
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

/** Reads patterns of names as one condition. Patterns that cannot be read are refused, and cover
 * nothing. */
export type NamePatterns = (
  text: string,
  refuse: (reason: string) => void,
) => (name: string) => boolean;

type RuleReader = { readonly settings: Settings; readonly patterns: NamePatterns };

export function parseOciTags(settings: Settings, patterns: NamePatterns): OciTagsConfig {
  const own = settings.of(OCI_SETTINGS);
  const reader = { settings, patterns };
  return {
    rules: own.get("Feed__Oci__TagRules").map((section) => parseRule(reader, section)),
    retention: {
      enabled: own.get("Feed__Operations__OciRetention__Enabled"),
      dryRun: own.get("Feed__Operations__OciRetention__DryRun"),
      everyMs: own.get("Feed__Operations__OciRetention__Interval"),
    },
  };
}

/** Without such a rule, retention deletes no tag. */
export function hasKeepRule({ rules }: Pick<OciTagsConfig, "rules">): boolean {
  return rules.some(({ keep }) => keep !== undefined);
}

function parseRule(reader: RuleReader, section: Section): TagRule {
  const { key, fields } = section;
  const immutable = fields["Immutable"] === "true";
  const keep = parseKeep(reader, section);
  const untagged = fields["KeepUntagged"];
  if (!immutable && keep === undefined && untagged === undefined) {
    reader.settings.problem(key, "says nothing: set Immutable, KeepNewest, KeepPushedWithin, …");
  }
  return {
    name: fields["Name"] ?? key,
    coversRepository: namesIn(reader, section, "Repositories", "**"),
    coversTag: namesIn(reader, section, "Tags", "*"),
    immutable,
    ...(keep && { keep }),
    ...(untagged !== undefined && { keepUntaggedMs: spanOf(Number(untagged)) }),
  };
}

function parseKeep(reader: RuleReader, section: Section): TagsToKeep | undefined {
  const { key, fields } = section;
  const newest = fields["KeepNewest"];
  const pushed = fields["KeepPushedWithin"];
  const pulled = fields["KeepPulledWithin"];
  const always = namesIn(reader, section, "KeepTags");
  if ([newest, pushed, pulled].every((limit) => limit === undefined)) {
    if (fields["KeepTags"] === undefined) return undefined;
    reader.settings.problem(
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

/** Without patterns, the names that `otherwise` covers. */
function namesIn(
  { settings, patterns }: RuleReader,
  { key, fields }: Section,
  field: string,
  otherwise = "",
): (name: string) => boolean {
  return patterns(fields[field] ?? otherwise, (reason) =>
    settings.problem(`${key}__${field}`, reason),
  );
}

/** A negative span means forever. */
function spanOf(ms: number): number {
  return ms < 0 ? Number.POSITIVE_INFINITY : ms;
}
