import type { Context } from "hono";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { readForm } from "../kit/forms/posted-form.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { FORM_BYTES_MAX } from "./session-ports.ts";
import type { SessionPorts } from "./session-ports.ts";

/**
 * Reads a form that a page of this registry sent in the same session; undefined for any other form.
 * `fieldsOf`: the fields that its code is for.
 */
export async function sentForm(
  { forms }: Pick<SessionPorts, "forms">,
  { from, address }: Shown,
  {
    c,
    fieldsOf,
  }: { readonly c: Context; readonly fieldsOf: (values: URLSearchParams) => string[] },
): Promise<URLSearchParams | undefined> {
  if (forms.isFromElsewhere(from, address)) return undefined;
  const values = await readForm(c, FORM_BYTES_MAX);
  if (!values) return undefined;
  const proof = values.get(PROOF_FIELD) ?? undefined;
  return forms.check(from, fieldsOf(values), proof) === "valid" ? values : undefined;
}
