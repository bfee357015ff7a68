import type { Clause, Phrase, WordColumns } from "./clauses.ts";

/** Returns the text for `match` of a table of FTS5. There is at least one clause. */
export function sqliteMatch<Field extends string>(
  columns: WordColumns<Field>,
  clauses: readonly Clause<Field>[],
  except: readonly Clause<Field>[] = [],
): string {
  const allOf = (all: readonly Clause<Field>[]) =>
    all.map((clause) => `(${clause.map(phraseOf).join(" OR ")})`).join(" AND ");
  // Quotes words, so that none is an operator.
  const phraseOf = ({ fields, words, prefix }: Phrase<Field>) => {
    const names = fields.map((field) => columns[field]).join(" ");
    return `{${names}} : "${words.join(" ")}"${prefix ? " *" : ""}`;
  };
  return `(${allOf(clauses)})${except.length === 0 ? "" : ` NOT (${allOf(except)})`}`;
}
