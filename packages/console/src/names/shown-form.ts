import { EXPIRED } from "../kit/forms/form-fields.ts";
import type { FieldProblem, FormValues } from "../kit/forms/form-fields.ts";

/** Typed texts that a page shows again, and the problems with them. */
export type ShownNameForm = {
  readonly values: FormValues;
  readonly problems: readonly FieldProblem[];
};

/** A page that was not sent yet. */
export const NEW_FORM: ShownNameForm = { values: new URLSearchParams(), problems: [] };

/** A form that was open for too long shows what was typed again. */
export function expiredForm(values: FormValues): ShownNameForm {
  return { values, problems: [EXPIRED] };
}
