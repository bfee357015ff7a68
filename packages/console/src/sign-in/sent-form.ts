import { readSentForm } from "../kit/forms/posted-form.ts";
import type { ExpectedForm } from "../kit/forms/posted-form.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { FORM_BYTES_MAX } from "./session-ports.ts";
import type { SessionPorts } from "./session-ports.ts";

/**
 * Reads a form that a page of this registry sent in the same session; undefined for any other form.
 * `fieldsOf`: the fields that its code is for.
 */
export async function sentForm(
  { forms }: Pick<SessionPorts, "forms">,
  shown: Shown,
  { c, fieldsOf }: Pick<ExpectedForm, "c" | "fieldsOf">,
): Promise<URLSearchParams | undefined> {
  const form = await readSentForm(forms, shown, { c, fieldsOf, bytesMax: FORM_BYTES_MAX });
  return typeof form === "string" || form.isExpired ? undefined : form.values;
}
