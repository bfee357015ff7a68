import type { z } from "zod";

/** A value that does not fit its schema. `words` continue the name of the field. */
export type InputProblem = { readonly path: readonly PropertyKey[]; readonly words: string };

/** Returns the problems of an input, each with the field that it is about. */
export function problemsOf({ issues }: z.core.$ZodError): readonly InputProblem[] {
  return issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") return [{ path: issue.path, words: wordsOf(issue) }];
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      words: "is not a known field.",
    }));
  });
}

function wordsOf(issue: z.core.$ZodIssue): string {
  // A schema with own words for its limits.
  if (issue.message.startsWith("must ")) return `${issue.message}.`;
  switch (issue.code) {
    case "invalid_value":
      return `must be one of: ${issue.values.map(String).join(", ")}.`;
    case "too_big":
      return `must ${sizeOf(issue.origin, "at most", issue.maximum)}.`;
    case "too_small":
      return `must ${sizeOf(issue.origin, "at least", issue.minimum)}.`;
    case "invalid_type":
      return issue.input === undefined
        ? "is missing."
        : `must be ${TYPES[issue.expected] ?? "other"}.`;
    default:
      return `is not valid: ${issue.message}.`;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "a list of NAME=VALUE",
};

function sizeOf(origin: string, bound: string, size: number | bigint): string {
  const unit = { string: "characters", array: "entries" }[origin];
  return unit === undefined ? `be ${bound} ${size}` : `have ${bound} ${size} ${unit}`;
}
