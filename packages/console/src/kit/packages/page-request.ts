import type { Context } from "hono";
import { VERSIONS_PER_PAGE } from "./versions-card.ts";

/** A page of the version history; `page` counts from 1. */
export type PageOfVersions = { readonly page: number; readonly size: number };

export function pageOfVersions(c: Context): PageOfVersions {
  const text = new URL(c.req.url).searchParams.get("versions");
  const isNumber = text !== null && /^\d{1,6}$/.test(text);
  return { page: Math.max(isNumber ? Number(text) : 1, 1), size: VERSIONS_PER_PAGE };
}
