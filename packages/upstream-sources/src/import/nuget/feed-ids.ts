import { readFile } from "node:fs/promises";
import { isPackageId, lowerId } from "@sealhouse/nuget-protocol";
import type { NuGetClient } from "@sealhouse/nuget-protocol/client";
import { SourceError, throwSourceError } from "../../source-error.ts";

export type FeedIds = {
  /** Unique, in lower case. */
  readonly ids: readonly string[];
  /** Start of the next import; undefined when the feed has no catalog. */
  readonly cursor?: string | undefined;
  /** Limits of the list, for the operator. */
  readonly remarks: readonly string[];
};

type ListingClient = Pick<NuGetClient, "resource" | "catalog" | "search">;

const PAGE_SIZE = 100;
/** Memory limit; larger than any known feed. */
const IDS_MAX = 5_000_000;

/** Returns the ids of a feed: from its catalog after the cursor, or else from its search. */
export async function findFeedIds(
  client: ListingClient,
  options: { readonly after?: string | undefined; readonly signal: AbortSignal },
): Promise<FeedIds> {
  const catalog = await client.resource("catalog", options);
  return catalog === undefined ? idsBySearch(client, options) : idsByCatalog(client, options);
}

/** Reads a file with one id per line. Text after `#` is a comment.
 * @throws {SourceError} when the file cannot be read, or a line is not a package id */
export async function readIdFile(path: string): Promise<FeedIds> {
  const text = await readFile(path, "utf8").catch(throwSourceError);
  const lines = text.split("\n").map((line) => line.replace(/#.*/, ""));
  const ids = lines.map((line) => line.trim()).filter((line) => line !== "");
  const wrong = ids.find((id) => !isPackageId(id));
  if (wrong !== undefined) throw new SourceError(`${path}: "${wrong}" is not a package id.`);
  return { ids: [...new Set(ids.map(lowerId))], remarks: [] };
}

async function idsByCatalog(
  client: ListingClient,
  { after, signal }: { readonly after?: string | undefined; readonly signal: AbortSignal },
): Promise<FeedIds> {
  const ids = new Set<string>();
  let cursor = after;
  for await (const item of client.catalog({ after, signal })) {
    // Skips deletions: versions that remain have their own items.
    if (item.type === "details" && ids.size < IDS_MAX) ids.add(lowerId(item.id));
    cursor = item.commit;
  }
  return { ids: [...ids], cursor, remarks: [] };
}

/** Stops at a page without a new id: some servers repeat the last page forever. */
async function idsBySearch(
  client: ListingClient,
  { signal }: { readonly signal: AbortSignal },
): Promise<FeedIds> {
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

function remarksOf(foundCount: number, total: number): readonly string[] {
  const unlisted =
    "The feed has no catalog, so packages without a listed version are not found. List them in a " +
    "file and pass it with --ids.";
  if (foundCount >= total) return [unlisted];
  const counts = `The feed's search lists ${foundCount} of ${total} packages.`;
  return [`${counts} List the others in a file and pass it with --ids.`];
}
