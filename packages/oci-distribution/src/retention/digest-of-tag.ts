import type { Digest } from "../digest.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { TagRetention } from "./ports.ts";

/** Returns the digest that a tag points to. Does not count as a pull. */
export async function digestOfTag(
  tags: Pick<TagRetention, "tagRecords">,
  repository: RepositoryName,
  tag: string,
): Promise<Digest | undefined> {
  // Sorts directly before the tag: tags contain no tilde, and all their characters sort below it.
  const before = `${tag.slice(0, -1)}${String.fromCharCode(tag.charCodeAt(tag.length - 1) - 1)}~`;
  const [record] = await tags.tagRecords(repository, { limit: 1, after: before });
  return record?.tag === tag ? record.digest : undefined;
}
