import { html } from "hono/html";
import type { Html } from "../page/document.ts";

const WORD_BREAK = html`<wbr />`;

/** Allows line breaks between the parts of a long name. */
export function wrapName(name: string): readonly Html[] {
  return name.split(/(?<=[./-])/).map((part, index) => html`${index > 0 && WORD_BREAK}${part}`);
}
