import { errorCodeOf, readBody } from "@sealhouse/http-responses";
import type { Context } from "hono";
import { confirmedFormOf } from "./confirmed-forms.ts";

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

/** Characters of a typed text that a question repeats. */
const LENGTH_MAX = 200;

/** Returns a typed text as one line, for the question what a form is about. */
export function wordsIn(values: Pick<URLSearchParams, "get">, name: string): string {
  const line = (values.get(name) ?? "").replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX)}…` : line;
}
