import { keyInGroup } from "../document-key.ts";
import { lowerVersion } from "../notation/package-version.ts";
import type { CatalogItem } from "./ports.ts";

/** Items per page, as on nuget.org. */
export const CATALOG_PAGE_SIZE = 550;
/** Group of the documents that an append makes stale. */
export const CATALOG_GROUP = "nuget-catalog";
/** Raised whenever the index changes its shape. */
const RENDERING = 1;
const TIMESTAMP = /^(\d{4})\.(\d\d)\.(\d\d)\.(\d\d)\.(\d\d)\.(\d\d)\.(\d{3})$/;

export function catalogIndexUrl(base: string): string {
  return `${base}/v3/catalog/index.json`;
}

export function catalogPageUrl(base: string, page: number): string {
  return `${base}/v3/catalog/page${page}.json`;
}

export function catalogLeafUrl(base: string, item: CatalogItem): string {
  const timestamp = item.commitAt.toISOString().slice(0, -1).replaceAll(/[-:T]/g, ".");
  return `${base}/v3/catalog/data/${timestamp}/${catalogLeafFile(item)}`;
}

export function catalogLeafFile({ id, version }: CatalogItem): string {
  return `${id}.${lowerVersion(version) ?? version}.json`.toLowerCase();
}

/** The commit that a leaf's address names: `2026.01.02.03.04.05.678`. */
export function commitTimeOf(segment: string): Date | undefined {
  const [, year, month, day, hour, minute, second, ms] = TIMESTAMP.exec(segment) ?? [];
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Where the rendered index is kept, per public address. */
export function catalogIndexKey(base: string): string {
  return keyInGroup(CATALOG_GROUP, `${RENDERING}/index@${base}`);
}
