import type { NpmSearchHit } from "../search/ports.ts";
import { parseSearchQuery } from "../search/search-query.ts";
import { searchResults } from "../search/search-results.ts";
import type { Call } from "./call.ts";
import { admit } from "./call.ts";
import { sendJson } from "./send-json.ts";

/** `GET /-/v1/search` */
export async function search(call: Call): Promise<Response> {
  await admit(call, { action: "read" });
  const query = parseSearchQuery(new URL(call.c.req.url).searchParams);
  const { total, hits } = await call.ports.search.search(query);
  const shown = await visible(call, hits);
  // What a caller may not see must not show in the number either, as far as this page knows.
  const found = { total: total - (hits.length - shown.length), hits: shown };
  const { anonymousRead: hasDependents, now } = call.settings;
  const results = searchResults(found, { query, hasDependents, now: now() });
  return sendJson(call, JSON.stringify(results), { isSameForAll: false });
}

/** The hits that the caller may read: a token may be narrowed to some names. */
async function visible(
  call: Call,
  hits: readonly NpmSearchHit[],
): Promise<readonly NpmSearchHit[]> {
  const { c, ports } = call;
  const verdicts = await Promise.all(
    hits.map(({ name }) => ports.authorize(c.req.raw, c.env, { action: "read", name })),
  );
  return hits.filter((_, index) => verdicts[index]?.status === "granted");
}
