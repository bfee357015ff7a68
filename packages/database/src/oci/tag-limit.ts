import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Unit } from "../transactions/unit-of-work.ts";

const TAG_COUNT = defineStatement(
  "oci-tag-count",
  { repository: param.whole },
  (db, { repository }) =>
    db
      .selectFrom("oci_tags")
      .where("repository_id", "=", repository)
      .select((row) => row.fn.countAll<number>().as("tags")),
);

/** Ends a transaction without a change. */
class TagsFull extends Error {
  override readonly name = "TagsFull";
}

/** Called before a tag is added, in the transaction of the change. */
export async function requireRoom(
  { queries }: Unit,
  repository: number,
  tagsMax: number | undefined,
): Promise<void> {
  if (tagsMax === undefined) return;
  const count = (await queries.one(TAG_COUNT, { repository }))?.tags ?? 0;
  if (count >= tagsMax) throw new TagsFull(`repository ${repository} has ${count} tags`);
}

/** Returns the result of the change, or that the repository had no room for a tag. */
export async function unlessFull<T>(
  change: Promise<T>,
): Promise<T | { readonly status: "tags-full" }> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof TagsFull) return { status: "tags-full" };
    throw error;
  }
}
