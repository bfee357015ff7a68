import { errorCodeOf, readBody } from "@sealhouse/http-responses";
import type { Context } from "hono";
import type { Shown } from "../page/shown-page.ts";
import { confirmedFormOf } from "./confirmed-forms.ts";
import { PROOF_FIELD } from "./page-forms.ts";
import type { PageForms } from "./page-forms.ts";

/** Returns the fields of a form; undefined for any other body, and for a longer one. */
export async function readForm(c: Context, bytesMax: number): Promise<URLSearchParams | undefined> {
  const confirmed = confirmedFormOf(c.req.raw);
  if (confirmed) return new URLSearchParams(confirmed.fields);
  const type = c.req.header("content-type") ?? "";
  if (type.split(";", 1)[0]?.trim() !== "application/x-www-form-urlencoded") return undefined;
  try {
    const body = await readBody(c, bytesMax);
    return new URLSearchParams(body.toString());
  } catch (error) {
    if (errorCodeOf(error) === "body-too-large") return undefined;
    throw error;
  }
}

/** A form that a person sent from one of our pages. */
export type SentForm = {
  readonly values: URLSearchParams;
  /** The form is older than an hour: nothing must change, and the page shows it again. */
  readonly isExpired: boolean;
};

/** A form that a request should have, and the fields that its code is for. */
export type ExpectedForm = {
  readonly c: Context;
  readonly fieldsOf: (values: URLSearchParams) => readonly string[];
  readonly bytesMax: number;
};

/**
 * Reads a form that a page of this registry sent for these fields. The body is read only when the
 * request comes from no other site.
 */
export async function readSentForm(
  forms: Pick<PageForms, "check" | "isFromElsewhere">,
  { from, address }: Pick<Shown, "from" | "address">,
  { c, fieldsOf, bytesMax }: ExpectedForm,
): Promise<SentForm | "foreign" | "unreadable"> {
  if (forms.isFromElsewhere(from, address)) return "foreign";
  const values = await readForm(c, bytesMax);
  if (!values) return "unreadable";
  const verdict = forms.check(from, fieldsOf(values), values.get(PROOF_FIELD) ?? undefined);
  return verdict === "wrong" ? "foreign" : { values, isExpired: verdict === "expired" };
}

/** Characters of a typed text that a question repeats. */
const LENGTH_MAX = 200;

/** Returns a typed text as one line, for the question what a form is about. */
export function wordsIn(values: Pick<URLSearchParams, "get">, name: string): string {
  const line = (values.get(name) ?? "").replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX)}…` : line;
}
