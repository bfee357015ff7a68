import { sql } from "#kysely";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { inColumns } from "../../statements/in-columns.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import { textList } from "../../statements/text-list.ts";
import { maintainersOf } from "../package-access.ts";
import { entryWords } from "./npm-words.ts";
import type { NpmIndexable } from "./npm-words.ts";

const PACKAGE = { packageId: param.whole };
const WORDS = {
  ...PACKAGE,
  filters: param.longText,
  nameWords: param.longText,
  textWords: param.longText,
};

const STANDING = defineStatement("npm-entry-standing", PACKAGE, (db, { packageId }) =>
  db
    .selectFrom("npm_packages as p")
    .leftJoin("npm_tags as t", (join) =>
      join.onRef("t.package_id", "=", "p.id").on("t.tag", "=", sql.lit("latest")),
    )
    .leftJoin("npm_versions as v", "v.id", "t.version_id")
    .leftJoin("npm_search_entries as e", "e.package_id", "p.id")
    .where("p.id", "=", packageId)
    .select([
      "p.name",
      "p.maintainers",
      "v.version",
      "v.description",
      "v.keywords",
      "v.deprecated",
      "v.dependency_names",
      "e.filters",
      "e.name_words",
      "e.text_words",
    ]),
);
const INSERT = defineStatement(
  "npm-entry-insert",
  { ...WORDS, name: param.text(214) },
  (db, parameters) => db.insertInto("npm_search_entries").values(inColumns(parameters)),
);
const UPDATE = defineStatement("npm-entry-update", WORDS, (db, { packageId, ...row }) =>
  db.updateTable("npm_search_entries").set(inColumns(row)).where("package_id", "=", packageId),
);
const DROP = defineStatement("npm-entry-drop", PACKAGE, (db, { packageId }) =>
  db.deleteFrom("npm_search_entries").where("package_id", "=", packageId),
);

/**
 * Call in each change of what a search compares: the version that `latest` points to, its
 * deprecation, the maintainers. Returns the names of the dependencies of that version.
 */
export async function noteEntry({ queries }: Unit, packageId: number): Promise<readonly string[]> {
  const row = await queries.one(STANDING, { packageId });
  if (!row) return [];
  const { name, version, description, keywords } = row;
  if (version === null || description === null || keywords === null) {
    if (row.filters !== null) await queries.run(DROP, { packageId });
    return [];
  }
  const words = entryWords({
    name,
    version,
    description,
    keywords: textList(keywords),
    isDeprecated: row.deprecated !== null,
    maintainers: maintainersOf(row).map((maintainer) => maintainer.name),
  });
  const { filters, nameWords, textWords } = words;
  if (row.filters === null) await queries.run(INSERT, { packageId, name, ...words });
  else if (
    filters !== row.filters ||
    nameWords !== row.name_words ||
    textWords !== row.text_words
  ) {
    await queries.run(UPDATE, { packageId, ...words });
  }
  return row.dependency_names === null ? [] : textList(row.dependency_names);
}

/** Adds the entry of a new package. */
export async function addEntry(
  { queries }: Unit,
  packageId: number,
  indexable: NpmIndexable,
): Promise<void> {
  await queries.run(INSERT, { packageId, name: indexable.name, ...entryWords(indexable) });
}
