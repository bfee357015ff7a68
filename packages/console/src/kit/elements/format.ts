import { html } from "hono/html";
import type { Html } from "../page/document.ts";

const COUNT = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const UNITS = ["bytes", "KB", "MB", "GB"] as const;
const STEP = 1024;

/** Formats a number with separators: `12,345`. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** Formats a number briefly: `12.3K`. */
export function formatShortCount(count: number): string {
  return SHORT.format(count);
}

/** Formats a number with its noun: `1 package`, `2 packages`. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats a number of bytes: `512 bytes`, `1.5 MB`. */
export function formatSize(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= STEP && unit < UNITS.length - 1) {
    amount /= STEP;
    unit += 1;
  }
  const digits = unit === 0 || amount >= 100 ? 0 : 1;
  return `${amount.toFixed(digits)} ${UNITS[unit] ?? ""}`;
}

/** Formats the UTC day: `2026-03-01`. */
export function formatDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Characters that change how others are shown, or are not seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Makes control, bidirectional and invisible characters visible: `\u202e`. */
export function visibleText(text: string): string {
  return text.replace(
    UNSEEN,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

/** Shortens an untrusted text to `lengthMax` without splitting a character. */
export function clipped(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return `${text
    .slice(0, lengthMax)
    .toWellFormed()
    .replace(/\uFFFD$/, "")
    .trimEnd()}…`;
}

const WORD_BREAK = html`<wbr />`;

/** Allows line breaks between the parts of a long name. */
export function wrapName(name: string): readonly Html[] {
  return name.split(/(?<=[./-])/).map((part, index) => html`${index > 0 && WORD_BREAK}${part}`);
}
