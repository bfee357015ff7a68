import { nameLimitOf } from "../search/ports.ts";
import { parseSearchQuery } from "../search/search-query.ts";
import { searchResults } from "../search/search-results.ts";
import type { Call } from "./call.ts";
import { authorizeLimited } from "./call.ts";
import { sendJson } from "./send-json.ts";

/** `GET /-/v1/search` */
export async function search(call: Call): Promise<Response> {
  const limit = nameLimitOf(await authorizeLimited(call, { action: "read" }));
  const query = parseSearchQuery(new URL(call.c.req.url).searchParams);
  const page = await call.ports.search.search({ ...query, ...limit });
  const { anonymousRead: hasDependents, now } = call.settings;
  const results = searchResults(page, { query, hasDependents, now: now() });
  return sendJson(call, JSON.stringify(results), { isSameForAll: false });
}
