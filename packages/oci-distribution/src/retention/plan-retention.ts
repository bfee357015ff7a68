import { isAttachedTag } from "../attached-tag.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { TagRecord } from "./ports.ts";
import type { TagRule, TagsToKeep } from "./tag-rules.ts";
import { covers, immutableTags } from "./tag-rules.ts";

/** A tag to delete, with its repository and the rule that selects it. */
export type TagChoice = TagRecord & {
  readonly repository: RepositoryName;
  /** Name of the rule that selects the tag. */
  readonly rule: string;
};

type KeepingRule = TagRule & { readonly keep: TagsToKeep };

/**
 * Returns the tags of a repository to delete, oldest push first. The first retention rule that
 * covers a tag decides about it and counts it among its newest. A tag that no rule covers stays.
 * Immutable and attached tags always stay and are not counted. If no other tag would be left, the
 * newest tag stays, so that no rule empties a repository.
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
  const choices = [...byRule]
    .flatMap(([rule, its]) =>
      rule ? expiredTags(rule.keep, its, now).map((tag) => ({ ...tag, rule: rule.name })) : [],
    )
    .map((choice) => ({ ...choice, repository }))
    .toSorted((entry, other) => -byNewest(entry, other));
  const images = tags.filter(({ tag }) => !isAttachedTag(tag));
  return choices.length < images.length ? choices : choices.slice(0, -1);
}

/** A rule without a condition deletes nothing, instead of every tag. */
function hasCondition({ newest, pushedWithinMs, pulledWithinMs }: TagsToKeep): boolean {
  return [newest, pushedWithinMs, pulledWithinMs].some((limit) => limit !== undefined);
}

function expiredTags(
  keep: TagsToKeep,
  tags: readonly TagRecord[],
  now: Date,
): readonly TagRecord[] {
  const { newest = 0, pushedWithinMs, pulledWithinMs } = keep;
  const isWithin = (time: Date | undefined, spanMs: number | undefined): boolean =>
    time !== undefined && spanMs !== undefined && now.getTime() - time.getTime() <= spanMs;
  return tags
    .filter(({ tag }) => !keep.always(tag))
    .toSorted(byNewest)
    .slice(newest)
    .filter(({ pushedAt }) => !isWithin(pushedAt, pushedWithinMs))
    .filter(({ pulledAt }) => !isWithin(pulledAt, pulledWithinMs));
}

/** Also orders tags of one push, which have the same time. */
function byNewest(tagRecord: TagRecord, other: TagRecord): number {
  const later = other.pushedAt.getTime() - tagRecord.pushedAt.getTime();
  if (later !== 0 || tagRecord.tag === other.tag) return later;
  return tagRecord.tag < other.tag ? 1 : -1;
}
