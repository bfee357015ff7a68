import { isAttachedTag } from "../attached-tag.ts";
import type { RepositoryName } from "../repository-name.ts";

/** What an operator says about some tags of some repositories. */
export type TagRule = {
  /** As people know it: what refusals, events and logs call it. */
  readonly name: string;
  readonly coversRepository: (repository: string) => boolean;
  readonly coversTag: (tag: string) => boolean;
  /** Such a tag leads to the same manifest for ever. */
  readonly immutable: boolean;
  /** Which of the tags stay; without it, the rule takes none away. */
  readonly keep?: TagsToKeep;
  /** How long manifests without a tag stay after their last use; `Infinity`: for ever. Counts for
   * the whole repository, whatever tags the rule is about. */
  readonly keepUntaggedMs?: number;
};

/** A tag stays when one of these says so. At least one of the first three must be there. */
export type TagsToKeep = {
  /** So many that were pushed last, or moved to what they lead to now. */
  readonly newest?: number;
  readonly pushedWithinMs?: number;
  readonly pulledWithinMs?: number;
  /** Tags that stay in any case, and are not counted among the newest. */
  readonly always: (tag: string) => boolean;
};

/** The name of the rule that keeps a tag where it is; undefined when it may be moved and deleted.
 * Asked within the transaction that would move or delete it. */
export type ImmutableTags = (repository: RepositoryName, tag: string) => string | undefined;

export const NO_IMMUTABLE_TAGS: ImmutableTags = () => undefined;

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
 * How long manifests without a tag stay in a repository after their last use, by the first rule
 * that says it. Undefined: none does. For the collector.
 */
export function keepUntaggedMs(
  rules: readonly TagRule[],
  repository: RepositoryName,
): number | undefined {
  const said = rules.find(
    (rule) => rule.keepUntaggedMs !== undefined && rule.coversRepository(repository),
  );
  return said?.keepUntaggedMs;
}
