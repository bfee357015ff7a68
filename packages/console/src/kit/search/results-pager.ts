import { html } from "hono/html";
import type { Html } from "../page/document.ts";
import { SKIP_MAX } from "./search-limits.ts";

/** Renders links to the previous and next page of results; false when there is only one page. */
export function resultsPager(
  { skip, take }: { readonly skip: number; readonly take: number },
  results: { readonly hasMore: boolean; readonly to: (skip: number) => string },
): Html | false {
  const { to } = results;
  const hasNext = results.hasMore && skip + take <= SKIP_MAX;
  if (skip === 0 && !hasNext) return false;
  return html`<nav class="pager" aria-label="Pages of results">
    ${skip > 0 && html`<a rel="prev" href="${to(Math.max(0, skip - take))}">Previous page</a>`}
    ${hasNext && html`<a rel="next" href="${to(skip + take)}">Next page</a>`}
  </nav>`;
}
