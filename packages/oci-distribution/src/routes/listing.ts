import type { Granted } from "../access.ts";
import { challenge, demand } from "../access.ts";
import { nextLink, sendJson } from "../answer.ts";
import type { Call } from "../call.ts";
import { linkTo, queryOf } from "../call.ts";
import { nameAt } from "../spelling.ts";
import { isOwned } from "../surfaces.ts";
import { OciError } from "../errors.ts";
import type { Page } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { RepositoryRoute } from "../route.ts";

/** How many entries an answer has at most, and when the client does not say. */
const PAGE_MAX = 10_000;
const CATALOG_BATCH = 1_000;
const CATALOG_BATCHES_MAX = 1_000;

/** `/v2/`. Always a challenge for those who bring nothing, also when everybody may pull: docker,
 * crane and skopeo learn only here that a push needs a token. */
export async function answerPing(call: Call): Promise<Response> {
  if (call.c.req.header("authorization") === undefined) throw challenge(call, { action: "pull" });
  await demand(call, { action: "pull" });
  return sendJson(call.c, {});
}

/** `/v2/_catalog`: the repositories that the caller may read, by the names they have there. */
export async function answerCatalog(call: Call): Promise<Response> {
  const granted = await demand(call, { action: "pull", repository: "*" });
  const page = pageAskedFor(call);
  const found = await readableRepositories(call, granted, page);
  const repositories = found.slice(0, page.limit).map((name) => nameAt(call.spelling, name));
  const path = `${call.spelling.path}/v2/_catalog`;
  const last = found.length > page.limit ? repositories.at(-1) : undefined;
  return sendJson(
    call.c,
    { repositories },
    { headers: last === undefined ? {} : nextLink(path, page.limit, last) },
  );
}

/** `/v2/<name>/tags/list` */
export async function answerTags(
  call: Call,
  { name }: Extract<RepositoryRoute, { type: "tags" }>,
): Promise<Response> {
  await demand(call, { action: "pull", repository: name });
  const page = pageAskedFor(call);
  const oneMore = { ...page, limit: page.limit + 1 };
  const found = await call.registry.ports.manifests.tags(name, oneMore);
  if (!found) {
    const written = nameAt(call.spelling, name);
    throw new OciError("NAME_UNKNOWN", { details: [{ name: written }] });
  }
  const tags = found.slice(0, page.limit);
  const path = linkTo(call, name, "tags/list");
  const last = found.length > page.limit ? tags.at(-1) : undefined;
  return sendJson(
    call.c,
    { name: nameAt(call.spelling, name), tags },
    { headers: last === undefined ? {} : nextLink(path, page.limit, last) },
  );
}

/** One more than asked for when there are more. */
async function readableRepositories(
  { registry, spelling: { prefix } }: Call,
  { mayPull }: Granted,
  { limit, after }: Page,
): Promise<readonly RepositoryName[]> {
  const readable: RepositoryName[] = [];
  // Whatever begins with it sorts after it.
  let last = after === undefined ? prefix : `${prefix}${after}`;
  for (let batches = 0; batches < CATALOG_BATCHES_MAX; batches += 1) {
    const batch = await registry.ports.manifests.repositories({
      limit: CATALOG_BATCH,
      after: last,
    });
    const there = batch.filter((name) => name.startsWith(prefix));
    readable.push(...there.filter((name) => isOwned(registry.surfaces, name) && mayPull(name)));
    last = batch.at(-1) ?? "";
    const isLast = batch.length < CATALOG_BATCH || there.length < batch.length;
    if (isLast || readable.length > limit) return readable;
  }
  throw new RangeError(`the catalog has more than ${CATALOG_BATCH * CATALOG_BATCHES_MAX} rows`);
}

function pageAskedFor(call: Call): Page {
  const query = queryOf(call);
  const after = query.get("last");
  const limit = Math.min(wholeNumberIn(query, "n") ?? PAGE_MAX, PAGE_MAX);
  return { limit, ...(after !== null && { after }) };
}

/** Undefined when the query does not have it. Throws `UNSUPPORTED` for anything but digits. */
export function wholeNumberIn(query: URLSearchParams, name: "n" | "last"): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  const details = [{ [name]: text.slice(0, 100) }];
  const message = `${name} must be a whole number`;
  throw new OciError("UNSUPPORTED", { status: 400, message, details });
}
