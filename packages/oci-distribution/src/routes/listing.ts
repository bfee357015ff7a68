import type { Granted } from "../access.ts";
import { challenge, requireAccess, requirePull } from "../access.ts";
import { nextLink, sendJson } from "../answer.ts";
import type { Call } from "../call.ts";
import { linkTo, queryOf } from "../call.ts";
import { nameAt } from "../name-mapping.ts";
import { isOwned } from "../surfaces.ts";
import { OciError } from "../errors.ts";
import type { Page } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { RepositoryRoute } from "../route.ts";
import { readBeforePush } from "../upstream/read-before-push.ts";

/** Maximum and default number of entries in a response. */
const PAGE_MAX = 10_000;
const CATALOG_BATCH = 1_000;
const CATALOG_BATCHES_MAX = 1_000;

/** Answers `/v2/`. Challenges a request without credentials even if anonymous pulls are allowed:
 * docker, crane and skopeo get a token for a push only after a challenge here. */
export async function answerPing(call: Call): Promise<Response> {
  if (call.c.req.header("authorization") === undefined) throw challenge(call, { action: "pull" });
  await requireAccess(call, { action: "pull" });
  return sendJson(call.c, {});
}

/** Answers `/v2/_catalog` with the repositories that the caller may read. */
export async function answerCatalog(call: Call): Promise<Response> {
  const granted = await requireAccess(call, { action: "pull", repository: "*" });
  const page = pageAskedFor(call);
  const repositoryNames = await readableRepositories(call, granted, page);
  const repositories = repositoryNames
    .slice(0, page.limit)
    .map((name) => nameAt(call.mapping, name));
  const path = `${call.mapping.path}/v2/_catalog`;
  const last = repositoryNames.length > page.limit ? repositories.at(-1) : undefined;
  return sendJson(
    call.c,
    { repositories },
    { headers: last === undefined ? {} : nextLink(path, page.limit, last) },
  );
}

/** Answers `/v2/<name>/tags/list`. */
export async function answerTags(
  call: Call,
  { name }: Extract<RepositoryRoute, { type: "tags" }>,
): Promise<Response> {
  await requirePull(call, name);
  const page = pageAskedFor(call);
  const oneMore = { ...page, limit: page.limit + 1 };
  const { manifests } = call.registry.ports;
  const find = () => manifests.tags(name, oneMore);
  const foundTags = await readBeforePush(call, name, find);
  if (!foundTags) {
    const written = nameAt(call.mapping, name);
    throw new OciError("NAME_UNKNOWN", { details: [{ name: written }] });
  }
  const tags = foundTags.slice(0, page.limit);
  const path = linkTo(call, name, "tags/list");
  const last = foundTags.length > page.limit ? tags.at(-1) : undefined;
  return sendJson(
    call.c,
    { name: nameAt(call.mapping, name), tags },
    { headers: last === undefined ? {} : nextLink(path, page.limit, last) },
  );
}

/** Returns up to one name more than requested, to show that a next page exists. */
async function readableRepositories(
  { registry, mapping: { prefix } }: Call,
  { mayPull }: Granted,
  { limit, after }: Page,
): Promise<readonly RepositoryName[]> {
  const readable: RepositoryName[] = [];
  // All names with this prefix sort after it.
  let last = after === undefined ? prefix : `${prefix}${after}`;
  for (let batches = 0; batches < CATALOG_BATCHES_MAX; batches += 1) {
    const batch = await registry.ports.manifests.repositories({
      limit: CATALOG_BATCH,
      after: last,
    });
    const there = batch.filter((name) => name.startsWith(prefix));
    const served = there.filter((name) => isOwned(registry.surfaces, name) && mayPull(name));
    const hidden = await registry.sources.hidden(served);
    readable.push(...served.filter((name) => !hidden.has(name)));
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

/** Reads a number from the query; undefined if absent. Throws `UNSUPPORTED` unless it is digits. */
export function wholeNumberIn(query: URLSearchParams, name: "n" | "last"): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  const details = [{ [name]: text.slice(0, 100) }];
  const message = `${name} must be a whole number`;
  throw new OciError("UNSUPPORTED", { status: 400, message, details });
}
