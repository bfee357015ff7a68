import type { Answer, CallOptions } from "@sealhouse/http-responses/outgoing";
import type { Digest } from "../digest.ts";
import { isDigest } from "../digest.ts";
import { isObject } from "../manifest/descriptor.ts";
import type { RegistryCaller } from "./caller.ts";
import type { ContentDescriptor, ReferrerOptions } from "./client.ts";
import { OciClientError } from "./client-error.ts";
import { fallbackTagOf } from "../attached-tag.ts";
import type { RemoteRepository } from "./remote-repository.ts";
import { pathOf, pullScope } from "./remote-repository.ts";
import { fetchManifest } from "./pull.ts";
import type { JsonObject } from "./read-answer.ts";
import { objectIn, readObject, refusalOf } from "./read-answer.ts";

const PAGE_SIZE = 1_000;
const PAGES_MAX = 100_000;
const PAGE_BYTES_MAX = 16 * 1024 * 1024;
const REFERRERS_MAX = 10_000;

type ListingOptions = CallOptions & { readonly scopes: readonly string[] };
type Page = { readonly url: URL; readonly document: JsonObject };

export async function* listRepositories(
  caller: RegistryCaller,
  { signal }: CallOptions,
): AsyncGenerator<string, void, undefined> {
  const callOptions = { signal, scopes: ["registry:catalog:*"] };
  for await (const page of pages(caller, `/v2/_catalog?n=${PAGE_SIZE}`, callOptions)) {
    yield* textsIn(page, "repositories");
  }
}

export async function* listTags(
  place: RemoteRepository,
  { signal }: CallOptions,
): AsyncGenerator<string, void, undefined> {
  const callOptions = { signal, scopes: [pullScope(place.name)] };
  const first = `${pathOf(place, "tags/list")}?n=${PAGE_SIZE}`;
  for await (const page of pages(place.caller, first, callOptions, isUnknownName)) {
    yield* textsIn(page, "tags");
  }
}

/** A repository without a tag, or one that is not there: no tags. */
function isUnknownName({ status }: Answer): boolean {
  return status === 404 || status === 410;
}

export async function listReferrers(
  place: RemoteRepository,
  digest: Digest,
  options: ReferrerOptions,
): Promise<readonly ContentDescriptor[]> {
  const { artifactType } = options;
  const all =
    (await referrersByApi(place, digest, options)) ?? (await byTag(place, digest, options));
  // Not every registry that has the API filters.
  return artifactType === undefined
    ? all
    : all.filter((descriptor) => descriptor.artifactType === artifactType);
}

/** Undefined where there is no such API. */
export async function referrersByApi(
  place: RemoteRepository,
  digest: Digest,
  { signal, artifactType }: ReferrerOptions,
): Promise<readonly ContentDescriptor[] | undefined> {
  const filter =
    artifactType === undefined ? "" : `?artifactType=${encodeURIComponent(artifactType)}`;
  const first = `${pathOf(place, `referrers/${digest}`)}${filter}`;
  const callOptions = { signal, scopes: [pullScope(place.name)] };
  let isMissing = false;
  const descriptors: ContentDescriptor[] = [];
  const { pathname } = new URL(first, place.caller.registry);
  const isNoApi = (answer: Answer) => (isMissing = hasNoApi(answer, pathname));
  for await (const { url, document } of pages(place.caller, first, callOptions, isNoApi)) {
    descriptors.push(...descriptorsIn(url, document));
    if (descriptors.length > REFERRERS_MAX) {
      const reason = `lists more than ${REFERRERS_MAX} referrers`;
      throw new OciClientError("too-large", { url, reason });
    }
  }
  return isMissing ? undefined : descriptors;
}

const BUSY: ReadonlySet<number> = new Set([408, 429]);

/** Some registries answer unknown paths with a page for people, or a redirect to one. */
function hasNoApi({ status, headers, url }: Answer, pathname: string): boolean {
  if (status === 200) return !/json/.test(headers.get("content-type") ?? "");
  if (url.pathname !== pathname || status === 501) return true;
  return status < 500 && !BUSY.has(status);
}

async function byTag(
  place: RemoteRepository,
  digest: Digest,
  options: CallOptions,
): Promise<readonly ContentDescriptor[]> {
  const index = await fetchManifest(place, fallbackTagOf(digest), options);
  const document = index && objectIn(index.bytes);
  // GitLab takes the tag for the manifest itself.
  if (!document || index.digest === digest) return [];
  const url = new URL(pathOf(place, "referrers"), place.caller.registry);
  const listed = descriptorsIn(url, document).slice(0, REFERRERS_MAX);
  const referrers: ContentDescriptor[] = [];
  for (const descriptor of listed) {
    const manifest = await fetchManifest(place, descriptor.digest, options);
    if (manifest && subjectIn(manifest.bytes) === digest) referrers.push(descriptor);
  }
  return referrers;
}

function subjectIn(bytes: Uint8Array): unknown {
  const subject = objectIn(bytes)?.["subject"];
  return isObject(subject) ? subject["digest"] : undefined;
}

/** The descriptors of an index; what is none fails. */
export function descriptorsIn(url: URL, { manifests }: JsonObject): readonly ContentDescriptor[] {
  if (!Array.isArray(manifests)) throw malformed(url, "the index has no list of manifests");
  return manifests.map((manifest: unknown) => {
    const descriptor = descriptorOf(manifest);
    if (!descriptor) throw malformed(url, "the index has an entry that is not a descriptor");
    return descriptor;
  });
}

function descriptorOf(value: unknown): ContentDescriptor | undefined {
  if (!isObject(value)) return undefined;
  const { mediaType, digest, size, artifactType, annotations } = value;
  if (typeof mediaType !== "string" || typeof digest !== "string" || !isDigest(digest)) {
    return undefined;
  }
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return undefined;
  return {
    mediaType,
    digest,
    size,
    ...(typeof artifactType === "string" && artifactType !== "" && { artifactType }),
    ...(isObject(annotations) && { annotations: textsOf(annotations) }),
  };
}

function textsOf(object: JsonObject): Readonly<Record<string, string>> {
  const pairs = Object.entries(object).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(pairs);
}

/** Page after page, as long as a `Link` leads on. `isNothing`: an answer that means no page. */
async function* pages(
  caller: RegistryCaller,
  first: string,
  { signal, scopes }: ListingOptions,
  isNothing: (answer: Answer) => boolean = () => false,
): AsyncGenerator<Page, void, undefined> {
  const seen = new Set<string>();
  let target: string | undefined = first;
  while (target !== undefined) {
    const pageTarget: string = target;
    const url = new URL(pageTarget, caller.registry);
    if (seen.has(pageTarget) || seen.size === PAGES_MAX)
      throw malformed(url, "its pages have no end");
    seen.add(pageTarget);
    const page: (Page & { readonly next: string | undefined }) | undefined = await caller.again(
      pageTarget,
      async () => {
        const call = { method: "GET", target: pageTarget, scopes, signal } as const;
        const answer = await caller.once({ ...call, isFinal: isNothing });
        if (isNothing(answer)) {
          await answer.cancel();
          return undefined;
        }
        if (answer.status !== 200) throw await refusalOf(answer);
        const next = nextOf(answer);
        return { url, document: await readObject(answer, PAGE_BYTES_MAX), next };
      },
      { signal },
    );
    if (!page) return;
    yield page;
    target = page.next;
  }
}

/** Path and query: the next page is at the registry itself, whatever a proxy made of it. */
function nextOf({ headers, url }: Answer): string | undefined {
  const link = headers.get("link") ?? "";
  const [, target] = /<([^<>]{1,4000})>[^,]*;\s*rel="?next"?/i.exec(link.slice(0, 16_384)) ?? [];
  const next = target === undefined ? null : URL.parse(target, url.href);
  return next ? next.pathname + next.search : undefined;
}

function textsIn({ url, document }: Page, field: string): readonly string[] {
  const value = document[field];
  // Go writes an empty list as null.
  if (value === null) return [];
  if (!Array.isArray(value)) throw malformed(url, `the answer has no list of ${field}`);
  return value.map((entry: unknown) => {
    if (typeof entry === "string") return entry;
    throw malformed(url, `the list of ${field} has an entry that is not text`);
  });
}

function malformed(url: URL, reason: string): OciClientError {
  return new OciClientError("malformed", { url, reason });
}
