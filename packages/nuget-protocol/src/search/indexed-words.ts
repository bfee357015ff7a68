import { parseDetails } from "../manifest/package-details.ts";
import type { PackageRecord } from "../stored-package.ts";
import { frameworkKeys } from "../notation/target-framework-support.ts";
import type { WordField } from "./conditions.ts";
import { frameworkWord, ownerWord, typeWord } from "./filter-words.ts";
import { BREAK, idPartsOf, idWordsOf, wordsOf } from "./words.ts";

/**
 * Words of a version in the index: in each field, words between single spaces, with a space before
 * the first and after the last.
 */
export type IndexedWords = Readonly<Record<WordField, string>>;

/** The fields of a version that the index of words contains. */
export type Indexable = Pick<PackageRecord, "id" | "details"> & {
  readonly owners: readonly string[];
  /** Short folder names; undefined when the package has not been inspected for them. */
  readonly targetFrameworks: readonly string[] | undefined;
};

/** The words of a version in each field of the index. */
export function indexedWords(version: Indexable): IndexedWords {
  const { id, owners } = version;
  const details = parseDetails(version);
  const { title = "", tags, authors, summary = "", description } = details;
  const frameworks = version.targetFrameworks ?? groupFrameworks(details);
  return {
    filters: spaced([
      ...details.packageTypes.map(({ name }) => typeWord(name)),
      ...frameworkKeys(frameworks).map(frameworkWord),
      ...owners.map(ownerWord),
    ]),
    idWords: spaced(idWordsOf(id)),
    idParts: spaced(idPartsOf(id)),
    title: spaced(wordsOf(title)),
    tags: spaced(tags.flatMap((tag, index) => [...(index === 0 ? [] : [BREAK]), ...wordsOf(tag)])),
    authors: spaced(wordsOf(authors)),
    summary: spaced(wordsOf(summary)),
    description: spaced(wordsOf(description)),
  };
}

/**
 * Joins words with single spaces, and adds one before the first and after the last. Empty without
 * words.
 */
export function spaced(words: readonly string[]): string {
  return words.length === 0 ? "" : ` ${words.join(" ")} `;
}

function groupFrameworks({ dependencyGroups }: ReturnType<typeof parseDetails>): string[] {
  return dependencyGroups.flatMap(({ targetFramework }) => targetFramework ?? []);
}
