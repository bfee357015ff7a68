import { isAttachedTag } from "../attached-tag.ts";
import type { RepositoryName } from "../repository-name.ts";

/** Rule of an operator for some tags of some repositories. */
export type TagRule = {
  /** Name in refusals, events and logs. */
  readonly name: string;
  readonly coversRepository: (repository: string) => boolean;
  readonly coversTag: (tag: string) => boolean;
  /** Whether the tag can never be moved or deleted. */
  readonly immutable: boolean;
  /** Tags that retention keeps. Without it, retention ignores the rule. */
  readonly keep?: TagsToKeep;
  /** Milliseconds that untagged manifests stay after their last use; `Infinity`: forever. Applies
   * to the whole repository, for any tag pattern of the rule. */
  readonly keepUntaggedMs?: number;
};

/** Conditions that keep a tag; one is enough. At least one of the first three is required. */
export type TagsToKeep = {
  /** Number of tags to keep that were set or moved most recently. */
  readonly newest?: number;
  readonly pushedWithinMs?: number;
  readonly pulledWithinMs?: number;
  /** Matches tags that always stay and are not counted among the newest. */
  readonly always: (tag: string) => boolean;
};

/** Returns the name of the rule that makes a tag immutable; undefined if it can be moved and
 * deleted. Called within the transaction that would move or delete the tag. */
export type ImmutableTags = (repository: RepositoryName, tag: string) => string | undefined;

/** Lets every tag be moved and deleted. */
export const NO_IMMUTABLE_TAGS: ImmutableTags = () => undefined;

/** Combines the immutable rules; the first match applies. Attached tags are never immutable. */
export function immutableTags(rules: readonly TagRule[]): ImmutableTags {
  const immutable = rules.filter((rule) => rule.immutable);
  if (immutable.length === 0) return NO_IMMUTABLE_TAGS;
  return (repository, tag) => {
    if (isAttachedTag(tag)) return undefined;
    return immutable.find((rule) => covers(rule, repository, tag))?.name;
  };
}

export function covers(rule: TagRule, repository: string, tag: string): boolean {
  return rule.coversRepository(repository) && rule.coversTag(tag);
}

/**
 * Returns the milliseconds that untagged manifests of a repository stay after their last use, by
 * the first rule that sets it; undefined if no rule does. Used by the collector.
 */
export function keepUntaggedMs(
  rules: readonly TagRule[],
  repository: RepositoryName,
): number | undefined {
  const firstRule = rules.find(
    (rule) => rule.keepUntaggedMs !== undefined && rule.coversRepository(repository),
  );
  return firstRule?.keepUntaggedMs;
}
