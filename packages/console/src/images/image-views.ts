import type {
  AttachedRow,
  ImageAnswer,
  ImageConfig,
  ImageContents,
  ImagePage,
  RepositoriesAnswer,
  RepositoriesQuery,
  RepositoryAnswer,
  TagsQuery,
} from "./model.ts";
import type { From } from "../kit/page/shown-page.ts";
import type { ImageNamed } from "../kit/links/image-address.ts";
import type { ImagesPorts } from "./images-app.ts";
import { refusalIn } from "../kit/refusals/refusal-page.ts";
import type { Action } from "@sealhouse/identity";
import { isRepositoryName, parseReference, segmentOf } from "@sealhouse/oci-distribution";
import type {
  Attached,
  AttachedManifest,
  AttachedToOne,
  RepositoryName,
  ShownManifest,
  StoredBlob,
} from "@sealhouse/oci-distribution";
import { errorCodeOf } from "@sealhouse/http-responses";
import { createImageAuthorize, createPageAuthorize } from "@sealhouse/identity";
import { parseRunConfig, parsedObject, textIn } from "./run-config.ts";
import { describeManifest, platformsOf } from "./described-manifest.ts";
import type { DescribedManifest } from "./described-manifest.ts";
import { sealOf } from "./image-seal.ts";
import { partOf } from "../kit/packages/version-pages.ts";
import type { ImageLookups } from "./image-lookups.ts";

const NEAR_MAX = 5;
const NAMES_BATCH = 500;
/** Limit of batches; a token with few names in a large registry may see an incomplete list. */
const BATCHES_MAX = 20;
const ATTACHED_SHOWN = 50;
/** Attached manifests of all platforms of an index. */
const ATTACHED_TO_PLATFORMS_MAX = 500;
const PARENTS_SHOWN = 5;
const CONFIG_BYTES_MAX = 1024 * 1024;

/** Answers the pages of images. A page shows what the same caller may pull. */
export function imagesPorts(
  lookups: ImageLookups,
): Omit<ImagesPorts, "previewDeletion" | "remove" | "confirm"> {
  return {
    site: lookups.site,
    isFromElsewhere: (from, address) => lookups.forms.isFromElsewhere(from, address),
    repositories: async (from, query) =>
      refusalIn(await verdictOn(lookups, from, { action: "read" })) ??
      repositoriesAnswer(lookups, from, query),
    repository: async (from, name, query) =>
      (await readRefusal(lookups, from, name)) ?? repositoryAnswer(lookups, from, { name, query }),
    image: async (from, image) =>
      (await readRefusal(lookups, from, image.repository)) ?? imageAnswer(lookups, from, image),
  };
}

/** A hidden repository has the page of an unknown one. */
async function readRefusal(lookups: ImageLookups, from: From, name: string) {
  const verdict = await verdictOn(lookups, from, { action: "read", name });
  if (verdict.status !== "absent") return refusalIn(verdict);
  return { status: "absent", near: await nearNames(lookups, from, name) } as const;
}

/** Decides about an action on a repository, or on all of them. */
export function verdictOn(
  { rules }: Pick<ImageLookups, "rules">,
  { request, env }: From,
  packageRequest: { readonly action: Action; readonly name?: string },
) {
  return createPageAuthorize(rules, "oci")(request, env, packageRequest);
}

/** Returns the validated name; undefined when it is invalid or this registry does not serve it. */
export function servedName(
  { served }: Pick<ImageLookups, "served">,
  text: string,
): RepositoryName | undefined {
  const names = served.segments.map(({ name }) => name);
  const isServed = served.hasDefault || segmentOf(names, text) !== undefined;
  return isServed && isRepositoryName(text) ? text : undefined;
}

async function repositoriesAnswer(
  lookups: ImageLookups,
  from: From,
  { text, after, take }: RepositoriesQuery,
): Promise<RepositoriesAnswer> {
  const matches = await readableNames(lookups, from, { text, after, limit: take + 1 });
  const { names, isCut } = matches;
  const lines = await lookups.oci.browsing.repositories(names.slice(0, take));
  const repositories = lines.toSorted((line, other) => (line.name < other.name ? -1 : 1));
  return { status: "found", repositories, hasMore: names.length > take, isCut };
}

type ReadableNames = {
  readonly names: readonly RepositoryName[];
  /** The search stopped before it examined all names, and found fewer than `limit`. */
  readonly isCut: boolean;
};

/** Lists matching names that the caller may read. The scope of a token may exclude some names. */
async function readableNames(
  lookups: ImageLookups,
  from: From,
  search: { readonly text: string; readonly after: string; readonly limit: number },
): Promise<ReadableNames> {
  const { browsing } = lookups.oci;
  const { text, limit } = search;
  const imageRequest = { action: "pull", repository: "*" } as const;
  // Authorized once, not for each name.
  const verdict = await createImageAuthorize(lookups.rules)(from.request, from.env, imageRequest);
  if (verdict.status !== "granted") return { names: [], isCut: false };
  const names: RepositoryName[] = [];
  let { after } = search;
  for (let batches = 0; batches < BATCHES_MAX; batches += 1) {
    // Most callers may see all names; the first batch is enough then.
    const size = batches === 0 ? limit : NAMES_BATCH;
    const batch = await browsing.names({ text, after, limit: size });
    for (const name of batch) {
      if (names.length === limit) return { names, isCut: false };
      if (servedName(lookups, name) !== undefined && verdict.mayPull(name)) names.push(name);
    }
    after = batch.at(-1) ?? "";
    if (batch.length < size) return { names, isCut: false };
  }
  return { names, isCut: names.length < limit };
}

async function repositoryAnswer(
  lookups: ImageLookups,
  from: From,
  requested: { readonly name: string; readonly query: TagsQuery },
): Promise<RepositoryAnswer> {
  const { browsing } = lookups.oci;
  const name = servedName(lookups, requested.name);
  const [line] = name === undefined ? [] : await browsing.repositories([name]);
  if (name === undefined || !line) {
    return { status: "absent", near: await nearNames(lookups, from, requested.name) };
  }
  const { text, withAttached, page, size } = requested.query;
  const tagsFrom = (start: number) =>
    browsing.tags(name, { text, withAttached, from: start, size });
  const first = await tagsFrom((page - 1) * size);
  const total = first?.total ?? 0;
  const { from: start, number, last } = partOf(total, { page, size });
  // A page number beyond the end shows the last page.
  const shown = number === page ? first : await tagsFrom(start);
  const tags = { total, lines: shown?.lines ?? [], number, last };
  const owners = (await lookups.ownersOf?.(name)) ?? [];
  const isManaged = (await lookups.managesName?.(from, { protocol: "oci", name })) ?? false;
  const hostNames = hostNamesOf(lookups, name);
  return { status: "found", page: { ...line, hostNames, tags, owners, isManaged } };
}

function hostNamesOf({ served }: ImageLookups, name: RepositoryName): readonly string[] {
  return served.segments.find((segment) => name.startsWith(`${segment.name}/`))?.hostNames ?? [];
}

/** Similar names: repositories that contain the last part of the name or its first word. */
export async function nearNames(
  lookups: ImageLookups,
  from: From,
  name: string,
): Promise<readonly string[]> {
  const end = name.slice(name.lastIndexOf("/") + 1);
  const [word = ""] = end.split(/[.\-_]/);
  for (const text of new Set([end, word])) {
    const search = { text, after: "", limit: NEAR_MAX };
    if (text === "") continue;
    const { names } = await readableNames(lookups, from, search);
    if (names.length > 0) return names;
  }
  return [];
}

/** Finds a manifest by the tag or digest of a page address. */
export async function findShown(
  lookups: ImageLookups,
  { repository, reference }: Required<ImageNamed>,
): Promise<{ readonly name: RepositoryName; readonly manifest: ShownManifest } | undefined> {
  const name = servedName(lookups, repository);
  if (name === undefined || !isReference(reference)) return undefined;
  const manifest = await lookups.oci.browsing.manifest(name, reference);
  return manifest && { name, manifest };
}

function isReference(text: string): boolean {
  try {
    parseReference(text);
    return true;
  } catch {
    return false;
  }
}

async function imageAnswer(
  lookups: ImageLookups,
  from: From,
  image: Required<ImageNamed>,
): Promise<ImageAnswer> {
  const shownImage = await findShown(lookups, image);
  if (!shownImage)
    return { status: "absent", near: await nearNames(lookups, from, image.repository) };
  const { name, manifest } = shownImage;
  const { browsing } = lookups.oci;
  const { digest, mediaType, bytes, pushedAt, pulledAt, tags, tagCount } = manifest;
  const described = describeManifest(manifest);
  const attached = await attachedTo(lookups, name, digest);
  const [line] = await browsing.repositories([name]);
  const deletion = await verdictOn(lookups, from, { action: "delete", name });
  const tag = image.reference === digest ? undefined : image.reference;
  const page: ImagePage = {
    repository: name,
    hostNames: hostNamesOf(lookups, name),
    tag,
    digest,
    mediaType,
    artifactType: described.artifactType,
    size: bytes.length,
    pushedAt,
    pulledAt,
    pulls: line?.pulls ?? 0,
    tags: { total: tagCount, names: tags },
    subject: described.subject,
    isSubjectHere: await isHere(lookups, name, described.subject),
    contents: await contentsOf(lookups, name, described),
    annotations: described.annotations,
    parents: await browsing.parents(name, digest, PARENTS_SHOWN),
    attached: { total: attached.total, rows: attached.manifests.map(attachedRow) },
    seal: await sealOf(lookups, { name, manifest, attached: attached.manifests }),
    // A session may have to confirm it.
    deletable: deletion.status === "granted" || deletion.status === "step-up",
    withheld: await lookups.withheld?.({ repository: name, tag, digest }),
  };
  return { status: "found", page };
}

async function isHere(
  { oci }: ImageLookups,
  name: RepositoryName,
  digest: ShownManifest["digest"] | undefined,
): Promise<boolean> {
  return digest !== undefined && (await oci.browsing.children(name, [digest])).length > 0;
}

/** The referrers of a manifest and the tags of its signatures. */
export async function attachedTo(
  { oci }: Pick<ImageLookups, "oci">,
  name: RepositoryName,
  digest: ShownManifest["digest"],
): Promise<Attached> {
  const { total, manifests } = await oci.browsing.attached(name, digest, ATTACHED_SHOWN);
  const shown = manifests.filter(({ tag }) => !isFallbackTag(tag));
  return { total: total - (manifests.length - shown.length), manifests: shown };
}

/** Whether a tag is the referrers index of clients that do not know the referrers API. */
function isFallbackTag(tag: string | undefined): boolean {
  return tag !== undefined && !/\.(?:sig|att|sbom)$/.test(tag);
}

function attachedRow({ annotations = "{}", ...row }: AttachedManifest): AttachedRow {
  const json = parsedObject(Buffer.from(annotations)) ?? {};
  const predicateType =
    textIn(json["dev.sigstore.bundle.predicateType"]) ?? textIn(json["in-toto.io/predicate-type"]);
  return { ...row, predicateType };
}

function withSubject({ subject, ...row }: AttachedToOne) {
  return { ...attachedRow(row), subject };
}

async function contentsOf(
  lookups: ImageLookups,
  name: RepositoryName,
  { list }: DescribedManifest,
): Promise<ImageContents> {
  switch (list.type) {
    case "index": {
      const digests = [...new Set(list.entries.map(({ digest }) => digest))];
      const { browsing } = lookups.oci;
      const rows = await browsing.attachedToAny(name, digests, ATTACHED_TO_PLATFORMS_MAX);
      const attached = rows.filter(({ tag }) => !isFallbackTag(tag));
      return platformsOf(list, await browsing.children(name, digests), attached.map(withSubject));
    }
    case "image": {
      const { layers, layerCount, layerSizes, totalSize, config, isRunnable } = list;
      const read: ImageConfig = isRunnable
        ? await readConfig(lookups, { name, digest: config.digest, layerSizes })
        : { status: "foreign" };
      const configType = config.mediaType;
      return { type: "image", configType, layers, layerCount, totalSize, config: read };
    }
    case "unreadable":
      return list;
  }
}

async function readConfig(
  lookups: ImageLookups,
  image: {
    readonly name: RepositoryName;
    readonly digest: ShownManifest["digest"];
    readonly layerSizes: readonly number[];
  },
): Promise<ImageConfig> {
  const stored = await lookups.oci.browsing.blob(image.name, image.digest);
  if (!stored) return { status: "absent" };
  if (stored.size > CONFIG_BYTES_MAX) return { status: "too-large" };
  const bytes = await bytesOf(lookups, stored);
  if (!bytes) return { status: "absent" };
  const config = parseRunConfig(bytes, image.layerSizes);
  return config ? { status: "read", config } : { status: "unreadable" };
}

async function bytesOf(
  { imageFiles }: ImageLookups,
  blob: StoredBlob,
): Promise<Uint8Array | undefined> {
  try {
    return Buffer.concat(await Array.fromAsync(imageFiles.open(blob).read()));
  } catch (error) {
    // Deleted or lost since the row was read; the page shows this instead of failing.
    if (errorCodeOf(error) === "storage-not-found") return undefined;
    throw error;
  }
}
