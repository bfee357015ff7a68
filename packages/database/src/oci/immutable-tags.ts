import { LockMode } from "@mikro-orm/core";
import type { ImmutableTag, ImmutableTags, RepositoryName } from "@sealhouse/oci-distribution";
import { OciTag } from "../entities/oci.ts";
import type { Unit } from "../orm/unit-of-work.ts";

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

/** What the change gives, or the tag on which it was rolled back. */
export async function unlessImmutable<T>(change: Promise<T>): Promise<T | ImmutableTag> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof ImmutableTagMet) return error.refusal;
    throw error;
  }
}

/** The first immutable one of a manifest's tags. The manifest is locked by then, so that no further
 * tag comes to it. */
export async function immutableTagOf(
  { catalog }: Unit,
  immutable: ImmutableTags,
  { manifest, repository }: { readonly manifest: number; readonly repository: RepositoryName },
): Promise<ImmutableTag | undefined> {
  const tags = await catalog.find(
    OciTag,
    { manifest },
    {
      fields: ["tag"],
      orderBy: { tag: "asc" },
      lockMode: LockMode.PESSIMISTIC_WRITE,
      disableIdentityMap: true,
    },
  );
  for (const { tag } of tags) {
    const rule = immutable(repository, tag);
    if (rule !== undefined) return { status: "immutable", tag, rule };
  }
  return undefined;
}
