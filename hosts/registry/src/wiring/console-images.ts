import type {
  AttachedRow,
  From,
  ImageAnswer,
  ImageConfig,
  ImageContents,
  ImageNamed,
  ImagePage,
  ImagesPorts,
  RepositoriesAnswer,
  RepositoriesQuery,
  RepositoryAnswer,
  Refusal,
  TagsQuery,
} from "@sealhouse/console";
import type { Action } from "@sealhouse/identity";
import { isRepositoryName, parseReference, segmentOf } from "@sealhouse/oci-distribution";
import type {
  Attached,
  AttachedManifest,
  RepositoryName,
  ShownManifest,
  StoredBlob,
} from "@sealhouse/oci-distribution";
import { StorageError } from "@sealhouse/storage-providers";
import { createImageAuthorize, createPackageAuthorize } from "@sealhouse/identity";
import { parseRunConfig, parsedObject, textIn } from "./console-images-config.ts";
import { describeManifest, platformsOf } from "./console-images-manifest.ts";
import type { DescribedManifest } from "./console-images-manifest.ts";
import { sealOf } from "./console-images-seal.ts";
import { segmentNames } from "./oci-surfaces.ts";
import type { Parts } from "./parts.ts";
import { partOf } from "./version-pages.ts";
import type { ConsoleImagesParts } from "./console-images-parts.ts";

const NEAR_MAX = 5;
const NAMES_BATCH = 500;
/** A token that opens few names of very many finds those of the first so many. */
const BATCHES_MAX = 20;
const ATTACHED_SHOWN = 50;
const PARENTS_SHOWN = 5;
const CONFIG_BYTES_MAX = 1024 * 1024;

/** What the pages of images show, under the rule that the registry itself is read by. */
export function imagesPorts(
  parts: ConsoleImagesParts,
  site: ImagesPorts["site"],
): Omit<ImagesPorts, "doomed" | "remove"> {
  return {
    site,
    repositories: async (from, query) =>
      (await refusalOf(parts, from, "read")) ?? repositoriesAnswer(parts, from, query),
    repository: async (from, name, query) =>
      (await refusalOf(parts, from, "read", name)) ??
      repositoryAnswer(parts, from, { name, query }),
    image: async (from, named) =>
      (await refusalOf(parts, from, "read", named.repository)) ?? imageAnswer(parts, from, named),
  };
}

/** Undefined when it is granted. */
export async function refusalOf(
  { rules }: Pick<ConsoleImagesParts, "rules">,
  { request, env }: From,
  action: Action,
  name?: string,
): Promise<Refusal | undefined> {
  const wanted = { action, ...(name !== undefined && { name }) };
  const verdict = await createPackageAuthorize(rules, "oci")(request, env, wanted);
  return verdict.status === "granted" ? undefined : verdict;
}

/** The name when it can be one, and a surface of this registry serves it. */
export function servedName(
  { config }: Pick<ConsoleImagesParts, "config">,
  text: string,
): RepositoryName | undefined {
  const { oci } = config.feed;
  const isServed = oci.hasDefault || segmentOf(segmentNames(oci), text) !== undefined;
  return isServed && isRepositoryName(text) ? text : undefined;
}

async function repositoriesAnswer(
  parts: ConsoleImagesParts,
  from: From,
  { text, after, take }: RepositoriesQuery,
): Promise<RepositoriesAnswer> {
  const found = await readableNames(parts, from, { text, after, limit: take + 1 });
  const { names, isCut } = found;
  const lines = await parts.database.oci.browsing.repositories(names.slice(0, take));
  const repositories = lines.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { status: "found", repositories, hasMore: names.length > take, isCut };
}

type ReadableNames = {
  readonly names: readonly RepositoryName[];
  /** There are names that nobody looked at, and fewer than wanted were found. */
  readonly isCut: boolean;
};

/** A token may be narrowed to some names. */
async function readableNames(
  parts: ConsoleImagesParts,
  from: From,
  asked: { readonly text: string; readonly after: string; readonly limit: number },
): Promise<ReadableNames> {
  const { browsing } = parts.database.oci;
  const { text, limit } = asked;
  const wanted = { action: "pull", repository: "*" } as const;
  // Who asks is found out once, not for each of the names.
  const verdict = await createImageAuthorize(parts.rules)(from.request, from.env, wanted);
  if (verdict.status !== "granted") return { names: [], isCut: false };
  const names: RepositoryName[] = [];
  let { after } = asked;
  for (let batches = 0; batches < BATCHES_MAX; batches += 1) {
    // Most readers may see all: then the first few are enough.
    const size = batches === 0 ? limit : NAMES_BATCH;
    const batch = await browsing.names({ text, after, limit: size });
    for (const name of batch) {
      if (names.length === limit) return { names, isCut: false };
      if (servedName(parts, name) !== undefined && verdict.mayPull(name)) names.push(name);
    }
    after = batch.at(-1) ?? "";
    if (batch.length < size) return { names, isCut: false };
  }
  return { names, isCut: names.length < limit };
}

async function repositoryAnswer(
  parts: ConsoleImagesParts,
  from: From,
  asked: { readonly name: string; readonly query: TagsQuery },
): Promise<RepositoryAnswer> {
  const { browsing } = parts.database.oci;
  const name = servedName(parts, asked.name);
  const [line] = name === undefined ? [] : await browsing.repositories([name]);
  if (name === undefined || !line) {
    return { status: "absent", near: await nearNames(parts, from, asked.name) };
  }
  const { text, withAttached, page, size } = asked.query;
  const tagsFrom = (start: number) =>
    browsing.tags(name, { text, withAttached, from: start, size });
  const first = await tagsFrom((page - 1) * size);
  const total = first?.total ?? 0;
  const { from: start, number, last } = partOf(total, { page, size });
  // Behind the last page there is the last page.
  const shown = number === page ? first : await tagsFrom(start);
  const tags = { total, lines: shown?.lines ?? [], number, last };
  return { status: "found", page: { ...line, hostNames: hostNamesOf(parts, name), tags } };
}

function hostNamesOf({ config }: ConsoleImagesParts, name: RepositoryName): readonly string[] {
  const { segments } = config.feed.oci;
  return segments.find((segment) => name.startsWith(`${segment.name}/`))?.hostNames ?? [];
}

/** Names that somebody may have meant: those with its last part, or the word that begins with. */
export async function nearNames(
  parts: ConsoleImagesParts,
  from: From,
  name: string,
): Promise<readonly string[]> {
  const end = name.slice(name.lastIndexOf("/") + 1);
  const [word = ""] = end.split(/[.\-_]/);
  for (const text of new Set([end, word])) {
    const asked = { text, after: "", limit: NEAR_MAX };
    if (text === "") continue;
    const { names } = await readableNames(parts, from, asked);
    if (names.length > 0) return names;
  }
  return [];
}

/** A manifest by a tag or digest that stood in an address. */
export async function findShown(
  parts: ConsoleImagesParts,
  { repository, reference }: Required<ImageNamed>,
): Promise<{ readonly name: RepositoryName; readonly manifest: ShownManifest } | undefined> {
  const name = servedName(parts, repository);
  if (name === undefined || !isReference(reference)) return undefined;
  const manifest = await parts.database.oci.browsing.manifest(name, reference);
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
  parts: ConsoleImagesParts,
  from: From,
  named: Required<ImageNamed>,
): Promise<ImageAnswer> {
  const found = await findShown(parts, named);
  if (!found) return { status: "absent", near: await nearNames(parts, from, named.repository) };
  const { name, manifest } = found;
  const { browsing } = parts.database.oci;
  const { digest, mediaType, bytes, pushedAt, pulledAt, tags, tagCount } = manifest;
  const described = describeManifest(manifest);
  const attached = await attachedTo(parts, name, digest);
  const [line] = await browsing.repositories([name]);
  const deletion = await refusalOf(parts, from, "delete", name);
  const page: ImagePage = {
    repository: name,
    hostNames: hostNamesOf(parts, name),
    tag: named.reference === digest ? undefined : named.reference,
    digest,
    mediaType,
    artifactType: described.artifactType,
    size: bytes.length,
    pushedAt,
    pulledAt,
    pulls: line?.pulls ?? 0,
    tags: { total: tagCount, names: tags },
    subject: described.subject,
    contents: await contentsOf(parts, name, described),
    annotations: described.annotations,
    parents: await browsing.parents(name, digest, PARENTS_SHOWN),
    attached: { total: attached.total, rows: attached.manifests.map(attachedRow) },
    seal: await sealOf(parts, { name, manifest, attached: attached.manifests }),
    deletable: deletion?.status !== "denied",
  };
  return { status: "found", page };
}

/** What belongs to a manifest, for people. */
export async function attachedTo(
  { database }: Pick<ConsoleImagesParts, "database">,
  name: RepositoryName,
  digest: ShownManifest["digest"],
): Promise<Attached> {
  const { total, manifests } = await database.oci.browsing.attached(name, digest, ATTACHED_SHOWN);
  const shown = manifests.filter(({ tag }) => !isFallbackTag(tag));
  return { total: total - (manifests.length - shown.length), manifests: shown };
}

/** The index that clients keep of referrers where a registry has no list of them. */
function isFallbackTag(tag: string | undefined): boolean {
  return tag !== undefined && !/\.(?:sig|att|sbom)$/.test(tag);
}

function attachedRow({ annotations = "{}", ...row }: AttachedManifest): AttachedRow {
  const said = parsedObject(Buffer.from(annotations)) ?? {};
  const predicateType =
    textIn(said["dev.sigstore.bundle.predicateType"]) ?? textIn(said["in-toto.io/predicate-type"]);
  return { ...row, predicateType };
}

async function contentsOf(
  parts: ConsoleImagesParts,
  name: RepositoryName,
  { list }: DescribedManifest,
): Promise<ImageContents> {
  switch (list.type) {
    case "index": {
      const digests = [...new Set(list.entries.map(({ digest }) => digest))];
      return platformsOf(list, await parts.database.oci.browsing.children(name, digests));
    }
    case "image": {
      const { layers, layerCount, layerSizes, totalSize, config, isRunnable } = list;
      const read: ImageConfig = isRunnable
        ? await readConfig(parts, { name, digest: config.digest, layerSizes })
        : { status: "foreign" };
      const configType = config.mediaType;
      return { type: "image", configType, layers, layerCount, totalSize, config: read };
    }
    case "unreadable":
      return list;
  }
}

async function readConfig(
  parts: ConsoleImagesParts,
  wanted: {
    readonly name: RepositoryName;
    readonly digest: Parameters<Parts["database"]["oci"]["browsing"]["blob"]>[1];
    readonly layerSizes: readonly number[];
  },
): Promise<ImageConfig> {
  const stored = await parts.database.oci.browsing.blob(wanted.name, wanted.digest);
  if (!stored) return { status: "absent" };
  if (stored.size > CONFIG_BYTES_MAX) return { status: "too-large" };
  const bytes = await bytesOf(parts, stored);
  if (!bytes) return { status: "absent" };
  const config = parseRunConfig(bytes, wanted.layerSizes);
  return config ? { status: "read", config } : { status: "unreadable" };
}

async function bytesOf(
  { blobs }: ConsoleImagesParts,
  { key }: StoredBlob,
): Promise<Uint8Array | undefined> {
  try {
    return Buffer.concat(await Array.fromAsync(blobs.oci.read(key)));
  } catch (error) {
    // Collected since the row was read, or lost: the page says so instead of failing.
    if (error instanceof StorageError && error.code === "storage-not-found") return undefined;
    throw error;
  }
}
