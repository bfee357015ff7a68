import { html } from "hono/html";
import type { Html } from "./document.ts";

const WORD_BREAK = html`<wbr />`;

/** Long names break where their parts end. */
export function breakable(name: string): readonly Html[] {
  return name.split(/(?<=[./-])/).map((part, at) => html`${at > 0 && WORD_BREAK}${part}`);
}
