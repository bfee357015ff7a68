import { html } from "hono/html";
import { pair, table, timeAgo } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";

type Row = Readonly<Record<string, unknown>>;

/** Links of an output. */
export type OutputLinks = {
  /** Links the first cell of a row with the page of its object, where it has one. */
  readonly linkOf: (row: Row, text: string) => Html | string;
  /** Links the next page of a list. */
  readonly nextLink: (next: string) => Html;
  readonly now: Date;
};

const COLUMNS_MAX = 7;

/** Renders the output of an action: a list as a table, an object as pairs, the rest as text. */
export function shownOutput(output: unknown, links: OutputLinks): Html {
  if (isRow(output) && Array.isArray(output["items"])) {
    const { items, next } = output;
    return html`${shownList(items, links)} ${typeof next === "string" && links.nextLink(next)}`;
  }
  if (Array.isArray(output)) return shownList(output, links);
  if (isRow(output)) return shownPairs(output, links);
  return html`<p>${output === undefined ? "Nothing to show." : textOf(output)}</p>`;
}

function shownList(items: readonly unknown[], links: OutputLinks): Html {
  if (items.length === 0) return html`<p class="soft">There are none.</p>`;
  if (!items.every(isRow)) {
    return html`<ul>
      ${items.map((item) => html`<li>${shownValue(item, links)}</li>`)}
    </ul>`;
  }
  const columns = columnsOf(items);
  const rows = items.map(
    (item) =>
      html`<tr>
        ${columns.map((name, at) => {
          const value = shownValue(item[name], links);
          if (at > 0) return html`<td>${value}</td>`;
          return html`<th scope="row">${links.linkOf(item, textOf(item[name]))}</th>`;
        })}
      </tr>`,
  );
  const heads = columns.map((name) => ({ text: headOf(name) }));
  return table("Result", heads, rows);
}

/** Names first and ids last; no column that is empty in every row. */
function columnsOf(items: readonly Row[]): readonly string[] {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const filled = names.filter(
    (name) =>
      items.every((item) => !isDeep(item[name])) && items.some((item) => textOf(item[name]) !== ""),
  );
  const rank = (name: string) => (NAMES.includes(name) ? 0 : name === "id" ? 2 : 1);
  return filled.toSorted((a, b) => rank(a) - rank(b)).slice(0, COLUMNS_MAX);
}

const NAMES = ["name", "handle", "subject"];

function shownPairs(row: Row, links: OutputLinks): Html {
  const entries = Object.entries(row).filter(([, value]) => value !== undefined);
  const simple = entries.filter(([, value]) => !isDeep(value));
  const deep = entries.filter(([, value]) => isDeep(value));
  return html`<dl class="pairs spread">
      ${simple.map(([name, value]) => pair(headOf(name), html`${shownValue(value, links)}`))}
    </dl>
    ${deep.map(
      ([name, value]) =>
        html`<h3>${headOf(name)}</h3>
          ${shownOutput(value, links)}`,
    )}`;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;

function shownValue(value: unknown, { now }: OutputLinks): Html | string {
  if (typeof value === "string" && TIME.test(value)) {
    return html`${value.slice(0, 16).replace("T", " ")} UTC, ${timeAgo(new Date(value), now)}`;
  }
  if (typeof value === "string") return html`<span class="said">${value}</span>`;
  return textOf(value);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" || typeof value === "number") return String(value);
  return Array.isArray(value) ? value.map(textOf).join(", ") : JSON.stringify(value);
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Objects, and lists of objects. */
function isDeep(value: unknown): boolean {
  return isRow(value) || (Array.isArray(value) && value.some(isRow));
}

/** `expiresAt` becomes `Expires at`. */
function headOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
