import { readFile } from "node:fs/promises";
import { isPackageId, lowerId } from "@sealhouse/nuget-protocol";
import type { NuGetClient } from "@sealhouse/nuget-protocol/client";
import { SourceError, sourceFailed } from "./candidate.ts";

export type FoundIds = {
  /** Lower-cased, each once. */
  readonly ids: readonly string[];
  /** Where to go on the next time; undefined when the feed has no catalog. */
  readonly cursor?: string | undefined;
  /** What the operator should know about the list. */
  readonly remarks: readonly string[];
};

type ListingClient = Pick<NuGetClient, "resource" | "catalog" | "search">;

const PAGE_SIZE = 100;
/** More than any feed has. */
const IDS_MAX = 5_000_000;

/** All ids of a feed: from its catalog, after the cursor; without a catalog, what search lists. */
export async function idsOfFeed(
  client: ListingClient,
  options: { readonly after?: string | undefined; readonly signal: AbortSignal },
): Promise<FoundIds> {
  const catalog = await client.resource("catalog", options);
  return catalog === undefined ? idsBySearch(client, options) : idsByCatalog(client, options);
}

/** One id a line; what follows a `#` is a comment.
 * @throws {SourceError} for a file that cannot be read, or a line that is no id */
export async function idsInFile(path: string): Promise<FoundIds> {
  const text = await readFile(path, "utf8").catch(sourceFailed);
  const lines = text.split("\n").map((line) => line.replace(/#.*/, ""));
  const ids = lines.map((line) => line.trim()).filter((line) => line !== "");
  const wrong = ids.find((id) => !isPackageId(id));
  if (wrong !== undefined) throw new SourceError(`${path}: "${wrong}" is no package id.`);
  return { ids: [...new Set(ids.map(lowerId))], remarks: [] };
}

async function idsByCatalog(
  client: ListingClient,
  { after, signal }: { readonly after?: string | undefined; readonly signal: AbortSignal },
): Promise<FoundIds> {
  const ids = new Set<string>();
  let cursor = after;
  for await (const item of client.catalog({ after, signal })) {
    // The package went, or a version of it did; what is left of it has items of its own.
    if (item.type === "details" && ids.size < IDS_MAX) ids.add(lowerId(item.id));
    cursor = item.commit;
  }
  return { ids: [...ids], cursor, remarks: [] };
}

/** A page that brings nothing new is the end: some servers give the last page again and again. */
async function idsBySearch(
  client: ListingClient,
  { signal }: { readonly signal: AbortSignal },
): Promise<FoundIds> {
  const ids = new Set<string>();
  for (let skip = 0; ;) {
    const page = await client.search({ skip, take: PAGE_SIZE }, { signal });
    const before = ids.size;
    for (const { id } of page.packages) ids.add(lowerId(id));
    skip += page.packages.length;
    if (ids.size > before && ids.size < IDS_MAX) continue;
    return { ids: [...ids], remarks: remarksOf(ids.size, page.totalHits) };
  }
}

function remarksOf(found: number, total: number): readonly string[] {
  const unlisted =
    "The feed has no catalog, so packages without a listed version are not found; name them " +
    "in a file with --ids.";
  if (found >= total) return [unlisted];
  return [`The feed's search lists ${found} of ${total} packages; name the others with --ids.`];
}
