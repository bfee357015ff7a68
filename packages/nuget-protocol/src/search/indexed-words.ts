import { parseDetails } from "../manifest/package-details.ts";
import type { PackageRecord } from "../stored-package.ts";
import { frameworkKeys } from "../notation/target-framework-support.ts";
import type { WordField } from "./conditions.ts";
import { frameworkWord, ownerWord, typeWord } from "./filter-words.ts";
import { BREAK, idPartsOf, idWordsOf, wordsOf } from "./words.ts";

/** What an index holds about a version: in each field words between single spaces, with a space
 * before the first and after the last. */
export type IndexedWords = Readonly<Record<WordField, string>>;

export type Indexable = Pick<PackageRecord, "id" | "details"> & {
  readonly owners: readonly string[];
  /** Short folder names; undefined when nobody has looked into the package for them. */
  readonly targetFrameworks: readonly string[] | undefined;
};

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

export function spaced(words: readonly string[]): string {
  return words.length === 0 ? "" : ` ${words.join(" ")} `;
}

function groupFrameworks({ dependencyGroups }: ReturnType<typeof parseDetails>): string[] {
  return dependencyGroups.flatMap(({ targetFramework }) => targetFramework ?? []);
}
