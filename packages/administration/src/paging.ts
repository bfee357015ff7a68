import { z } from "zod";
import { field } from "./field.ts";

/** Items of one answer of the API. */
export const PAGE_LIMIT_MAX = 200;

/** The input of a list. Commands ask for all items. */
export const PAGE_FIELDS = {
  limit: field(
    z.int().min(1).max(PAGE_LIMIT_MAX).optional(),
    "Limit",
    "The maximum number of items in the answer.",
    { option: false },
  ),
  after: field(z.string().max(1024).optional(), "After", "The value `next` of the answer before.", {
    option: false,
  }),
};

/**
 * The number of items that a command lists, and a page of the API has. For lists without an end,
 * which a command does not print whole.
 */
export function countField({
  max,
  fallback,
  items,
}: {
  readonly max: number;
  readonly fallback: number;
  /** "records" */
  readonly items: string;
}) {
  const words = `must be a whole number from 1 to ${max}`;
  return field(
    z.int(words).min(1, words).max(max, words).default(fallback),
    "Limit",
    `The most ${items}, 1 to ${max}.`,
    { option: "--limit <count>" },
  );
}

/** The input of a list of which the newest rows count, in the order of their ids. */
export function newestFields(count: Parameters<typeof countField>[0]) {
  return {
    limit: countField(count),
    after: field(
      z
        .string()
        .regex(/^\d{1,16}$/)
        .optional(),
      "After",
      "The value `next` of the answer before.",
      { option: false },
    ),
  };
}

/** Returns a page of a table, whose newest rows have the highest ids. */
export async function newestPage<Row extends { readonly id: string }>(
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  list: (place: { readonly limit: number; readonly before?: string }) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const rows = await list({ limit: limit + 1, ...(after !== undefined && { before: after }) });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(last && rows.length > limit && { next: last.id }) };
}

/** Finds a row of such a table by its id. */
export async function newestWithId<Row extends { readonly id: string }>(
  id: string,
  list: (place: { readonly limit: number; readonly before: string }) => Promise<readonly Row[]>,
): Promise<Row | undefined> {
  const [row] = await list({ limit: 1, before: String(Number(id) + 1) });
  return row?.id === id ? row : undefined;
}

/** One page of a list. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    next: z.string().optional().describe("Present when more items follow."),
  });
}

export type Page<Item> = { readonly items: Item[]; readonly next?: string };

/**
 * Returns the items after a key. `keyOf` is unique, and the items are sorted by it: so nothing is
 * returned twice, and nothing that existed all the time is lost, while others come and go.
 */
export function pageOf<Item>(
  items: readonly Item[],
  { limit, after }: { readonly limit?: number | undefined; readonly after?: string | undefined },
  keyOf: (item: Item) => string,
): Page<Item> {
  const sorted = items
    .map((item) => ({ item, key: keyOf(item) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const from = keyAfter(after);
  const rest = from === undefined ? sorted : sorted.filter(({ key }) => key > from);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = last !== undefined && shown.length < rest.length;
  return {
    items: shown.map(({ item }) => item),
    ...(hasMore && { next: nextOf(last.key) }),
  };
}

/** Items of a table that are read at once, where no limit is given. */
const READ_AT_ONCE = 500;

/**
 * Returns the items that a table has after a key. `read` returns at most `most` items after an
 * item, or after the key of the input. `keyOf` is unique, and in the order of the table.
 */
export async function pageFrom<Item>(
  limit: number | undefined,
  read: (last: Item | undefined, most: number) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): Promise<Page<Item>> {
  if (limit !== undefined) {
    const found = await read(undefined, limit + 1);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return { items, ...(last && found.length > limit && { next: nextOf(keyOf(last)) }) };
  }
  const items: Item[] = [];
  for (let size = READ_AT_ONCE; size === READ_AT_ONCE;) {
    const found = await read(items.at(-1), READ_AT_ONCE);
    items.push(...found);
    size = found.length;
  }
  return { items };
}

function nextOf(key: string): string {
  return Buffer.from(key).toString("base64url");
}

/** Returns the key in a value `after`; undefined for the first page. */
export function keyAfter(after: string | undefined): string | undefined {
  return after === undefined ? undefined : Buffer.from(after, "base64url").toString();
}
