import { CATALOG_PAGE_SIZE, catalogIndexUrl, catalogLeafUrl, catalogPageUrl } from "./addresses.ts";
import type { IdLimit } from "../search/id-limit.ts";
import { isWithinLimit } from "../search/id-limit.ts";
import type { CatalogItem, CatalogLeaf, CatalogLog } from "./ports.ts";

/** No mirror has seen anything before this; what an empty catalog shows as its newest commit. */
const BEFORE_ALL = { commitId: "00000000-0000-0000-0000-000000000000", commitAt: new Date(0) };

/** Links to every page, with the newest commit of each. */
export async function catalogIndex(base: string, log: CatalogLog): Promise<object> {
  const head = await log.head();
  const newest = head ? await newestOfPages(log, head) : [];
  return {
    "@id": catalogIndexUrl(base),
    "@type": ["CatalogRoot", "AppendOnlyCatalog", "Permalink"],
    ...commitOf(head?.newest ?? BEFORE_ALL),
    count: newest.length,
    items: newest.map((item) => ({
      "@id": catalogPageUrl(base, pageOf(item)),
      "@type": "CatalogPage",
      ...commitOf(item),
      count: (item.position % CATALOG_PAGE_SIZE) + 1,
    })),
    "@context": INDEX_CONTEXT,
  };
}

export type CatalogPage = {
  readonly document: object;
  /** Time of the newest item. */
  readonly commitAt: Date;
};

/**
 * A page; page 0 is the oldest. Undefined when it does not exist yet. Items outside of the limit
 * are omitted from the page; its commit stays, so that cursors continue.
 */
export async function catalogPage(
  base: string,
  page: number,
  log: CatalogLog,
  limit: IdLimit = {},
): Promise<CatalogPage | undefined> {
  const items = await log.items(page * CATALOG_PAGE_SIZE, CATALOG_PAGE_SIZE);
  const newest = items.at(-1);
  if (!newest) return undefined;
  const shown = items.filter(({ id }) => isWithinLimit(limit, id));
  const document = {
    "@id": catalogPageUrl(base, page),
    "@type": "CatalogPage",
    ...commitOf(newest),
    count: shown.length,
    parent: catalogIndexUrl(base),
    items: shown.map((item) => ({
      "@id": catalogLeafUrl(base, item),
      "@type": `nuget:${item.type}`,
      ...commitOf(item),
      "nuget:id": item.id,
      "nuget:version": item.version,
    })),
    "@context": INDEX_CONTEXT,
  };
  return { document, commitAt: newest.commitAt };
}

export function catalogLeaf(base: string, leaf: CatalogLeaf): object {
  const { commitId, commitTimeStamp } = commitOf(leaf);
  return {
    "@id": catalogLeafUrl(base, leaf),
    "@type": [leaf.type, "catalog:Permalink"],
    "catalog:commitId": commitId,
    "catalog:commitTimeStamp": commitTimeStamp,
    ...(JSON.parse(leaf.leaf) as object),
    "@context": LEAF_CONTEXT,
  };
}

/** The last item of each page. */
async function newestOfPages(
  log: CatalogLog,
  { count, newest }: { readonly count: number; readonly newest: CatalogItem },
): Promise<readonly CatalogItem[]> {
  const lastOfFull = (_: unknown, page: number) => (page + 1) * CATALOG_PAGE_SIZE - 1;
  const full = Array.from({ length: Math.floor(count / CATALOG_PAGE_SIZE) }, lastOfFull);
  const items = await log.at(full);
  return count % CATALOG_PAGE_SIZE === 0 ? items : [...items, newest];
}

function pageOf({ position }: CatalogItem): number {
  return Math.floor(position / CATALOG_PAGE_SIZE);
}

function commitOf({ commitId, commitAt }: Pick<CatalogItem, "commitId" | "commitAt">) {
  return { commitId, commitTimeStamp: commitAt.toISOString() };
}

/** So that the documents mean the same to a reader of JSON-LD as those of nuget.org. */
const INDEX_CONTEXT = {
  "@vocab": "http://schema.nuget.org/catalog#",
  nuget: "http://schema.nuget.org/schema#",
  items: { "@id": "item", "@container": "@set" },
  parent: { "@type": "@id" },
  commitTimeStamp: { "@type": "http://www.w3.org/2001/XMLSchema#dateTime" },
} as const;

const LEAF_CONTEXT = {
  "@vocab": "http://schema.nuget.org/schema#",
  catalog: "http://schema.nuget.org/catalog#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  dependencies: { "@id": "dependency", "@container": "@set" },
  dependencyGroups: { "@id": "dependencyGroup", "@container": "@set" },
  packageTypes: { "@id": "packageType", "@container": "@set" },
  reasons: { "@container": "@set" },
  tags: { "@id": "tag", "@container": "@set" },
  created: { "@type": "xsd:dateTime" },
  lastEdited: { "@type": "xsd:dateTime" },
  published: { "@type": "xsd:dateTime" },
  "catalog:commitTimeStamp": { "@type": "xsd:dateTime" },
} as const;
