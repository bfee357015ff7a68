import type { Clause, Phrase, WordColumns } from "./clauses.ts";
import { allOf, interleaved, never, not } from "./conditions.ts";
import type { Condition } from "./conditions.ts";

/** Creates a condition on the words of a row `e`: it has every clause, but not all of `except`. */
export type LikeWords<Field extends string> = (
  clauses: readonly Clause<Field>[],
  except?: readonly Clause<Field>[],
) => Condition;

/** Compares the columns with patterns, which finds what an index of words finds. */
export function likeWordsIn<Field extends string>(columns: WordColumns<Field>): LikeWords<Field> {
  const likeAny = (clause: Clause<Field>): Condition => {
    const parts = clause.flatMap((phrase) =>
      phrase.fields.map((field) => ({ column: columns[field], pattern: patternOf(phrase) })),
    );
    if (parts.length === 0) return never;
    return interleaved(
      parts.map(({ column }, index) => `${index === 0 ? "" : " or "}e.${column} like `),
      parts.map(({ pattern }) => pattern),
    );
  };
  const likeAll: LikeWords<Field> = (clauses, except = []) => {
    const wantedConditions = clauses.map(likeAny);
    return allOf(
      except.length === 0 ? wantedConditions : [...wantedConditions, not(likeAll(except))],
    );
  };
  return likeAll;
}

/** Words contain no character that has a meaning in a pattern. */
function patternOf({ words, prefix }: Phrase<string>): string {
  return `% ${words.join(" ")}${prefix ? "" : " "}%`;
}
