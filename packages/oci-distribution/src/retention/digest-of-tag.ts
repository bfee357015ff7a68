import type { Digest } from "../digest.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { TagRetention } from "./ports.ts";

/** Where a tag leads, without taking that for a pull. */
export async function digestOfTag(
  tags: Pick<TagRetention, "tagRecords">,
  repository: RepositoryName,
  tag: string,
): Promise<Digest | undefined> {
  // Sorts right before the tag: no tag has a tilde, and all characters of tags sort below it.
  const before = `${tag.slice(0, -1)}${String.fromCharCode(tag.charCodeAt(tag.length - 1) - 1)}~`;
  const [record] = await tags.tagRecords(repository, { limit: 1, after: before });
  return record?.tag === tag ? record.digest : undefined;
}
