import type { Context } from "hono";
import { VERSIONS_PER_PAGE } from "./versions-card.ts";

/** A page within the bounds of a history: `from` counts versions from 0. */
export type Part = { readonly from: number; readonly number: number; readonly last: number };

export function partOf(total: number, { page, size }: PageOfVersions): Part {
  const last = Math.max(1, Math.ceil(total / size));
  const number = Math.min(Math.max(page, 1), last);
  return { from: (number - 1) * size, number, last };
}

/** A page of the version history; `page` counts from 1. */
export type PageOfVersions = { readonly page: number; readonly size: number };

export function pageOfVersions(c: Context): PageOfVersions {
  const text = new URL(c.req.url).searchParams.get("versions");
  const isNumber = text !== null && /^\d{1,6}$/.test(text);
  return { page: Math.max(isNumber ? Number(text) : 1, 1), size: VERSIONS_PER_PAGE };
}
