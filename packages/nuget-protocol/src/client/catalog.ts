import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import { NuGetClientError } from "./client-error.ts";
import { address, field, items, malformed, optionalText, text } from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";
import { lenientCount, lenientFlag, lenientTime } from "./lenient-fields.ts";
import type { Reader } from "./reader.ts";

/** One item of another feed's catalog. */
export type FollowedItem = {
  readonly type: "details" | "delete";
  readonly id: string;
  readonly version: string;
  /** The value of the feed, unchanged: the cursor for the next read. */
  readonly commit: string;
  readonly url: URL;
};

/** The fields of a leaf that a mirror needs. */
export type FollowedLeaf = {
  readonly id: string;
  readonly version: string;
  readonly listed: boolean;
  readonly createdAt: Date | undefined;
  readonly publishedAt: Date | undefined;
  /** Base64 SHA-512 of the file as served then. */
  readonly sha512: string | undefined;
  readonly size: number | undefined;
};

type Link = { readonly url: URL; readonly commit: string; readonly key: string };

const PAGES_MAX = 100_000;
const ITEMS_MAX = 10_000;

/**
 * Items after a cursor, in the order of their commits. What is appended while they are read may be
 * among them or not; the last commit that was seen is the next cursor.
 */
export async function* followCatalog(
  reader: Reader,
  index: URL,
  options: CallOptions & { readonly after?: string | undefined },
): AsyncGenerator<FollowedItem, void, undefined> {
  const after = options.after === undefined ? "" : cursorKey(index, options.after);
  const document = await requiredDocument(reader, index, options);
  const pages = linksOf(document, PAGES_MAX).filter(({ key }) => key > after);
  for (const page of pages) {
    const content = await requiredDocument(reader, page.url, options);
    const nodes = items(field(content, "items"), ITEMS_MAX);
    const links = nodes.map((node) => ({ ...linkOf(node), node }));
    for (const { node, url, commit, key } of links.toSorted(byKey)) {
      const item = key > after ? itemOf(node, { url, commit }) : undefined;
      if (item) yield item;
    }
  }
}

export function parseCatalogLeaf(document: JsonNode): FollowedLeaf {
  return {
    id: text(field(document, "id")),
    version: text(field(document, "version")),
    listed: lenientFlag(field(document, "listed"), true),
    createdAt: lenientTime(field(document, "created")),
    publishedAt: lenientTime(field(document, "published")),
    // Strict: without its hash, another file would be accepted.
    sha512: optionalText(field(document, "packageHash")),
    size: lenientCount(field(document, "packageSize")),
  };
}

function linksOf(document: JsonNode, limit: number): readonly Link[] {
  return items(field(document, "items"), limit).map(linkOf).toSorted(byKey);
}

function linkOf(node: JsonNode): Link {
  const commit = field(node, "commitTimeStamp");
  const key = timeKey(text(commit));
  if (key === undefined) throw malformed(commit, "a time");
  return { url: address(field(node, "@id")), commit: text(commit), key };
}

/** Undefined for kinds of items that are not known. */
function itemOf(
  node: JsonNode,
  { url, commit }: Pick<Link, "url" | "commit">,
): FollowedItem | undefined {
  const type = text(field(node, "@type")).replace(/^nuget:/, "");
  if (type !== "PackageDetails" && type !== "PackageDelete") return undefined;
  return {
    type: type === "PackageDetails" ? "details" : "delete",
    id: text(field(node, "nuget:id")),
    version: text(field(node, "nuget:version")),
    commit,
    url,
  };
}

async function requiredDocument(reader: Reader, url: URL, options: CallOptions): Promise<JsonNode> {
  const document = await reader.json(url, options);
  if (document) return document;
  const reason = "this document of the catalog is not there (404)";
  throw new NuGetClientError("status", { url, reason, status: 404 });
}

function cursorKey(url: URL, cursor: string): string {
  const key = timeKey(cursor);
  if (key !== undefined) return key;
  throw new NuGetClientError("malformed", { url, reason: `"${cursor}" is not a cursor` });
}

function byKey(link: { readonly key: string }, other: { readonly key: string }): number {
  return link.key < other.key ? -1 : Number(link.key > other.key);
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;
const DIGITS = 9;

/**
 * A text that sorts as the time does. Catalogs tell commits apart by parts of a microsecond, which
 * a `Date` forgets. Undefined for anything but an ISO 8601 time; without an offset it is UTC.
 */
export function timeKey(time: string): string | undefined {
  const [, seconds, fraction = "", offset = "Z"] = TIME.exec(time) ?? [];
  const whole = new Date(`${seconds}${offset}`);
  if (Number.isNaN(whole.getTime())) return undefined;
  return `${whole.toISOString().slice(0, -".000Z".length)}.${fraction.padEnd(DIGITS, "0")}`;
}
