import type { TypedCall } from "./action-program.ts";

type DoAction = (typed: TypedCall) => Promise<unknown>;

type Page = { readonly items: readonly unknown[]; readonly next?: string };

/** Does an action; of a list, reads pages until it has the items of its limit. */
export async function doListed(typed: TypedCall, doAction: DoAction): Promise<unknown> {
  const { limit } = typed.input;
  const first = await doAction(typed);
  if (!isPage(first) || typeof limit !== "number") return first;
  const items = [...first.items];
  let { next } = first;
  while (next !== undefined && items.length < limit) {
    const input = { ...typed.input, limit: limit - items.length, after: next };
    const page = await doAction({ ...typed, input });
    if (!isPage(page)) break;
    items.push(...page.items);
    ({ next } = page);
  }
  return { items, ...(next !== undefined && { next }) };
}

/** Does the action of a list for each of its pages. */
export async function* pagesOf(typed: TypedCall, doAction: DoAction): AsyncGenerator {
  for (let after: string | undefined; ;) {
    const page = await doAction({ ...typed, input: { ...typed.input, after } });
    yield page;
    if (!isPage(page) || page.next === undefined) return;
    after = page.next;
  }
}

function isPage(value: unknown): value is Page {
  return typeof value === "object" && value !== null && "items" in value;
}
