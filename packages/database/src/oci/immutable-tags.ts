import type { ImmutableTag, ImmutableTags, RepositoryName } from "@sealhouse/oci-distribution";

/** Ends a transaction without a change, because it met a tag that has to stay where it is. */
class ImmutableTagMet extends Error {
  override readonly name = "ImmutableTagMet";
  readonly refusal: ImmutableTag;

  constructor(refusal: ImmutableTag) {
    super(`${refusal.tag} is immutable`);
    this.refusal = refusal;
  }
}

/** Called by a change that is about to move the tag, in its transaction. */
export function refuseToMove(
  immutable: ImmutableTags,
  { repository, tag }: { readonly repository: RepositoryName; readonly tag: string },
): void {
  const rule = immutable(repository, tag);
  if (rule !== undefined) throw new ImmutableTagMet({ status: "immutable", tag, rule });
}

/** Returns the result of the change, or the tag that caused its rollback. */
export async function unlessImmutable<T>(change: Promise<T>): Promise<T | ImmutableTag> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof ImmutableTagMet) return error.refusal;
    throw error;
  }
}
