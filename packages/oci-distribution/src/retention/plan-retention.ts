import { isAttachedTag } from "../attached-tag.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { TagRecord } from "./ports.ts";
import type { TagRule, TagsToKeep } from "./tag-rules.ts";
import { covers, immutableTags } from "./tag-rules.ts";

export type TagChoice = TagRecord & {
  readonly repository: RepositoryName;
  /** The name of the rule that lets it go. */
  readonly rule: string;
};

type KeepingRule = TagRule & { readonly keep: TagsToKeep };

/**
 * Which tags of a repository have to go, the one that was pushed first at the head. The first rule
 * that covers a tag and says what to keep decides about it, and counts it among its newest; a tag
 * that no rule covers stays. Immutable tags, and those that belong to a digest, neither go nor
 * count.
 */
export function planTagRetention(
  {
    repository,
    tags,
  }: { readonly repository: RepositoryName; readonly tags: readonly TagRecord[] },
  rules: readonly TagRule[],
  now: Date,
): readonly TagChoice[] {
  const keeping = rules.filter(
    (rule): rule is KeepingRule =>
      rule.keep !== undefined && hasCondition(rule.keep) && rule.coversRepository(repository),
  );
  if (keeping.length === 0) return [];
  const immutableBy = immutableTags(rules);
  const standing = tags.filter(
    ({ tag }) => !isAttachedTag(tag) && immutableBy(repository, tag) === undefined,
  );
  const byRule = Map.groupBy(standing, ({ tag }) =>
    keeping.find((rule) => covers(rule, repository, tag)),
  );
  return [...byRule]
    .flatMap(([rule, its]) =>
      rule ? goingBy(rule.keep, its, now).map((tag) => ({ ...tag, rule: rule.name })) : [],
    )
    .map((choice) => ({ ...choice, repository }))
    .toSorted((one, other) => -byNewest(one, other));
}

/** Without a condition everything would go, which nobody means by saying nothing. */
function hasCondition({ newest, pushedWithinMs, pulledWithinMs }: TagsToKeep): boolean {
  return [newest, pushedWithinMs, pulledWithinMs].some((one) => one !== undefined);
}

function goingBy(keep: TagsToKeep, tags: readonly TagRecord[], now: Date): readonly TagRecord[] {
  const { newest = 0, pushedWithinMs, pulledWithinMs } = keep;
  const isWithin = (at: Date | undefined, spanMs: number | undefined): boolean =>
    at !== undefined && spanMs !== undefined && now.getTime() - at.getTime() <= spanMs;
  return tags
    .filter(({ tag }) => !keep.always(tag))
    .toSorted(byNewest)
    .slice(newest)
    .filter(({ pushedAt }) => !isWithin(pushedAt, pushedWithinMs))
    .filter(({ pulledAt }) => !isWithin(pulledAt, pulledWithinMs));
}

/** Tags of one push have the same time, and still need one order. */
function byNewest(one: TagRecord, other: TagRecord): number {
  const later = other.pushedAt.getTime() - one.pushedAt.getTime();
  if (later !== 0 || one.tag === other.tag) return later;
  return one.tag < other.tag ? 1 : -1;
}
