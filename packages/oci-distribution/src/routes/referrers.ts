import { Readable } from "node:stream";
import type { Context } from "hono";
import { challenge, requirePull } from "../access.ts";
import { VERSION_HEADERS } from "../answer.ts";
import type { Call } from "../call.ts";
import { linkTo, queryOf } from "../call.ts";
import { isUnknownToAnonymous } from "../challenge-unknown.ts";
import { parseDigest } from "../digest.ts";
import { OCI_IMAGE_INDEX } from "../manifest/media-type.ts";
import type { Referrer, ReferrerPage } from "../ports.ts";
import { referrerWeight } from "../referrers.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { RepositoryRoute } from "../route.ts";
import { readBeforePush } from "../upstream/read-before-push.ts";
import { staleHeaders } from "../upstream/stale-headers.ts";
import { wholeNumberIn } from "./listing.ts";

const START = `{"schemaVersion":2,"mediaType":"${OCI_IMAGE_INDEX}","manifests":[`;
const END = "]}";

/** Size limit of a page. oras, notation and helm fail on a response of more than 4 MiB. */
const PAGE_BYTES = 4 * 1024 * 1024 - START.length - END.length;
/** Size limit for crane and cosign, which do not follow `Link` here and would miss signatures on
 * the second page. They read up to 100 MiB. */
const SINGLE_PAGE_BYTES = 96 * 1024 * 1024;
const READS_ONE_PAGE = /\bgo-containerregistry\b/;

const CHUNK_CHARACTERS = 32 * 1024;

/** Answers `/v2/<name>/referrers/<digest>`, never with 404. Limits pages by bytes, because
 * annotations can make a descriptor as large as a manifest. */
export async function answerReferrers(
  call: Call,
  { name, digest }: Extract<RepositoryRoute, { type: "referrers" }>,
): Promise<Response> {
  await requirePull(call, name);
  const query = queryOf(call);
  const artifactType = query.get("artifactType") ?? undefined;
  const after = wholeNumberIn(query, "last");
  const subject = parseDigest(digest);
  const maxBytes = READS_ONE_PAGE.test(call.c.req.header("user-agent") ?? "")
    ? SINGLE_PAGE_BYTES
    : PAGE_BYTES;
  const pageOptions = {
    maxBytes,
    // An empty page would have no next page.
    limit: wholeNumberIn(query, "n") || Number.MAX_SAFE_INTEGER,
    ...(artifactType !== undefined && { artifactType }),
    ...(after !== undefined && { after }),
  };
  const { manifests } = call.registry.ports;
  const find = () => manifests.referrers(name, subject, pageOptions);
  const page = await challengeEmpty(
    call,
    name,
    (await readBeforePush(call, name, find)) ?? emptyPage(),
  );
  return sendChunks(call.c, chunksOf(page, maxBytes), {
    ...VERSION_HEADERS,
    "content-type": OCI_IMAGE_INDEX,
    ...staleHeaders(page),
    ...(artifactType !== undefined && { "oci-filters-applied": "artifactType" }),
    ...linkAfter(page, linkTo(call, name, `referrers/${digest}`), query),
  });
}

function linkAfter({ next }: ReferrerPage, path: string, query: URLSearchParams) {
  if (next === undefined) return {};
  const following = new URLSearchParams();
  for (const parameter of ["artifactType", "n"]) {
    const value = query.get(parameter);
    if (value !== null) following.set(parameter, value);
  }
  following.set("last", String(next));
  return { link: `<${path}?${following.toString()}>; rel="next"` };
}

/** An unknown repository has an empty list, so a caller without credentials is challenged first. */
async function challengeEmpty(
  call: Call,
  name: RepositoryName,
  page: ReferrerPage,
): Promise<ReferrerPage> {
  if (!(await isUnknownToAnonymous(call, name))) return page;
  const referrers = page.referrers[Symbol.asyncIterator]();
  const first = await referrers.next();
  if (first.done === true) throw challenge(call, { action: "pull", repository: name });
  return { ...page, referrers: restored(first.value, referrers) };
}

async function* restored(first: Referrer, rest: AsyncIterator<Referrer>) {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** The answer for a repository without the subject. */
function emptyPage(): ReferrerPage {
  return { referrers: Readable.from([]) };
}

/** Yields the text of the index in chunks that are large enough for a write. */
async function* chunksOf({ referrers }: ReferrerPage, maxBytes: number) {
  let text = START;
  let separator = "";
  for await (const referrer of referrers) {
    text += separator + descriptorOf(referrer, maxBytes);
    separator = ",";
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = "";
  }
  yield text + END;
}

/** Omits annotations that exceed a page: clients would refuse the whole response. */
function descriptorOf(referrer: Referrer, maxBytes: number): string {
  const { digest, mediaType, size, artifactType, annotations } = referrer;
  const start = JSON.stringify({ mediaType, digest, size }).slice(0, -1);
  const type = artifactType === undefined ? "" : `,"artifactType":${JSON.stringify(artifactType)}`;
  const hasRoom = annotations !== undefined && referrerWeight(referrer) <= maxBytes;
  return `${start}${hasRoom ? `,"annotations":${annotations}` : ""}${type}}`;
}

/** Sends one chunk with its length, which is the common case. Streams several chunks as fast as the
 * client reads. */
async function sendChunks(
  c: Context,
  chunks: AsyncGenerator<string, void, undefined>,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const first = await chunks.next();
  const second = await chunks.next();
  const text = first.value ?? "";
  if (second.done) {
    return c.body(text, 200, { ...headers, "content-length": String(Buffer.byteLength(text)) });
  }
  if (c.req.method === "HEAD") {
    await chunks.return();
    return c.body(null, 200, { ...headers });
  }
  return c.body(streamOf([text, second.value], chunks), 200, { ...headers });
}

function streamOf(
  ready: readonly string[],
  chunks: AsyncGenerator<string, void, undefined>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  async function* encoded() {
    for (const text of ready) yield encoder.encode(text);
    for await (const text of chunks) yield encoder.encode(text);
  }
  return ReadableStream.from(encoded());
}
