import { RefusedActionError } from "@sealhouse/administration";
import type { Action } from "@sealhouse/administration";
import { fieldsOf, inputOfTexts, problemsOf } from "@sealhouse/administration/inputs";
import type { Field, FieldValues } from "@sealhouse/administration/inputs";
import type { FieldProblem } from "../kit/forms/form-fields.ts";

/** The input of an action, or what is wrong with the texts of its form. */
export type Checked =
  | { readonly input: Record<string, unknown> }
  | { readonly problems: readonly FieldProblem[] };

/** Reads the input of an action in the texts of a form or a query. */
export function inputIn(
  { input, method }: Pick<Action, "input" | "method">,
  values: URLSearchParams,
): Checked {
  const texts: FieldValues = Object.fromEntries(
    fieldsOf(input).map((one) => [one.name, textOf(one, values) ?? untickedText(one, method)]),
  );
  const checked = input.safeParse(inputOfTexts(input, texts), { reportInput: true });
  if (checked.success) return { input: checked.data };
  const problems = problemsOf(checked.error).map(({ path, words }) => ({
    name: String(path[0]),
    words,
  }));
  return { problems };
}

/** A form sends nothing for a box that is not ticked. */
function untickedText({ kind, fallback }: Field, method: Action["method"]): string | undefined {
  return kind === "flag" && fallback === true && method !== "GET" ? "false" : undefined;
}

function textOf(
  { name, kind, values: boxes }: Field,
  values: URLSearchParams,
): FieldValues[string] {
  if (kind === "text" && boxes) return values.getAll(name).join(",");
  const text = values.get(name)?.trim();
  if (kind !== "list" && kind !== "pairs") return text;
  const lines = values.getAll(name).flatMap((value) => value.split(/\r?\n/));
  const given = lines.map((line) => line.trim()).filter((line) => line !== "");
  return given.length === 0 ? undefined : given;
}

/** Returns why an action was refused, by field. Rethrows any other error. */
export function problemsIn(error: unknown): readonly FieldProblem[] {
  if (!(error instanceof RefusedActionError)) throw error;
  const { problems, message } = error;
  if (problems.length === 0) return [{ name: "", words: message }];
  return problems.map(({ field, words }) => ({ name: field, words }));
}
