import type { Digest } from "@sealhouse/oci-distribution";
import {
  isDigest,
  isOciError,
  isRepositoryName,
  isTag,
  MAX_INDEX_DEPTH,
  MAX_MANIFEST_BYTES,
  parseManifest,
} from "@sealhouse/oci-distribution";
import type { RepositoryName } from "@sealhouse/oci-distribution";
import type { SourceManifest } from "@sealhouse/oci-distribution/client";
import { manifestTypeOf } from "../import/oci/folder-manifest.ts";
import { SourceError } from "../source-error.ts";
import { fieldsIn, isFields, parseJsonFile, textIn } from "../wanted/parse-document.ts";
import type { Fields } from "../wanted/parse-document.ts";
import {
  blobFile,
  CONFIG_BYTES_MAX,
  INDEX_FILE,
  NPM_ARTIFACT,
  NUGET_ARTIFACT,
  REPOSITORY,
  TAG,
} from "./bundle-format.ts";
import type { BundleFile } from "./bundle-file.ts";
import type { NpmConfig, NuGetConfig } from "./package-config.ts";
import { parseNpmConfig, parseNuGetConfig } from "./package-config.ts";

/** A package file of a bundle with its description. */
export type BundledPackage<Config> = { readonly config: Config; readonly layer: Digest };

/** An image of the index. */
export type BundledImage = {
  readonly repository: RepositoryName;
  readonly digest: Digest;
  readonly tag: string | undefined;
};

/** Contents of a bundle, all of which are there. */
export type Bundle = {
  readonly file: BundleFile;
  readonly nuget: readonly BundledPackage<NuGetConfig>[];
  readonly npm: readonly BundledPackage<NpmConfig>[];
  readonly images: readonly BundledImage[];
  /** @throws {SourceError} */
  manifest(digest: Digest): Promise<SourceManifest | undefined>;
};

/**
 * Reads what the index lists, and checks that the bundle has all of it and nothing else.
 * @throws {SourceError} with the name of the entry that is refused
 */
export async function readBundle(file: BundleFile): Promise<Bundle> {
  const manifest = (digest: Digest) => readManifest(file, digest);
  const walk: Walk = { file, manifest, reached: new Set() };
  const nuget: BundledPackage<NuGetConfig>[] = [];
  const npm: BundledPackage<NpmConfig>[] = [];
  const images: BundledImage[] = [];
  for (const entry of entriesOf(file.index)) {
    const { digest, artifactType } = entry;
    await reach(walk, { digest, size: entry.size }, 0);
    const read = () => readPackage(walk, digest);
    if (artifactType === NUGET_ARTIFACT) {
      const { bytes, layer, label } = await read();
      nuget.push({ config: parseNuGetConfig(bytes, label), layer });
    } else if (artifactType === NPM_ARTIFACT) {
      const { bytes, layer, label } = await read();
      npm.push({ config: parseNpmConfig(bytes, label), layer });
    } else images.push(imageOf(entry));
  }
  const extra = [...file.blobs].find((name) => !walk.reached.has(name));
  if (extra !== undefined) throw new SourceError(`The entry "${extra}" belongs to nothing.`);
  return { file, nuget, npm, images, manifest };
}

type Entry = {
  readonly digest: Digest;
  readonly size: number;
  readonly artifactType: string | undefined;
  readonly annotations: Fields;
};

function entriesOf(index: Uint8Array): readonly Entry[] {
  const { manifests } = parseJsonFile(Buffer.from(index).toString(), INDEX_FILE);
  const list: readonly unknown[] | undefined = Array.isArray(manifests) ? manifests : undefined;
  if (!list) throw new SourceError(`The entry "${INDEX_FILE}" has no list of manifests.`);
  return list.map((value) => {
    const fields = isFields(value) ? value : {};
    const digest = textIn(fields, "digest") ?? "";
    const { size } = fields;
    if (!isDigest(digest) || typeof size !== "number") {
      throw new SourceError(`The entry "${INDEX_FILE}" lists something that is not a descriptor.`);
    }
    const artifactType = textIn(fields, "artifactType");
    return { digest, size, artifactType, annotations: fieldsIn(fields, "annotations") };
  });
}

function imageOf({ digest, annotations }: Entry): BundledImage {
  const repository = textIn(annotations, REPOSITORY) ?? "";
  const tag = textIn(annotations, TAG);
  if (!isRepositoryName(repository) || (tag !== undefined && !isTag(tag))) {
    throw new SourceError(
      `The entry "${INDEX_FILE}" lists ${digest} without a valid repository and tag.`,
    );
  }
  return { repository, digest, tag };
}

async function readManifest(file: BundleFile, digest: Digest): Promise<SourceManifest | undefined> {
  if (file.sizeOf(digest) === undefined) return undefined;
  const bytes = await file.readWhole(digest, MAX_MANIFEST_BYTES);
  return { digest, bytes, mediaType: manifestTypeOf(bytes) };
}

type Walk = Pick<Bundle, "file" | "manifest"> & {
  /** Names of files. */
  readonly reached: Set<string>;
};

type Reached = { readonly digest: Digest; readonly size: number };

/** Marks a manifest and all that it contains. */
async function reach(walk: Walk, { digest, size }: Reached, depth: number): Promise<void> {
  if (!isNew(walk, { digest, size })) return;
  const manifest = await walk.manifest(digest);
  const parsed = manifest && parsedOf(manifest);
  if (!parsed) throw new SourceError(`The entry "${blobFile(digest)}" is not a manifest.`);
  if (depth > MAX_INDEX_DEPTH) {
    throw new SourceError(`The entry "${blobFile(digest)}" is nested too deeply.`);
  }
  for (const edge of parsed.edges) {
    // Layers that may not be given away stay where they are.
    if (edge.kind === "foreign" && walk.file.sizeOf(edge.digest) === undefined) continue;
    if (edge.kind === "child" && (await isManifest(walk, edge.digest))) {
      await reach(walk, edge, depth + 1);
    } else isNew(walk, edge);
  }
}

/** @throws {SourceError} when it is missing or has another size */
function isNew({ file, reached }: Walk, { digest, size }: Reached): boolean {
  const name = blobFile(digest);
  const found = file.sizeOf(digest);
  if (found === undefined) throw new SourceError(`The bundle has no entry "${name}".`);
  if (found !== size) {
    throw new SourceError(`The entry "${name}" has ${found} bytes; ${size} are listed.`);
  }
  if (reached.has(name)) return false;
  reached.add(name);
  return true;
}

/** In build caches, a child may be a blob. */
async function isManifest({ file, manifest }: Walk, digest: Digest): Promise<boolean> {
  if ((file.sizeOf(digest) ?? Infinity) > MAX_MANIFEST_BYTES) return false;
  const found = await manifest(digest);
  return found !== undefined && parsedOf(found) !== undefined;
}

function parsedOf({ bytes, mediaType }: SourceManifest) {
  try {
    return parseManifest(bytes, mediaType);
  } catch (error) {
    if (isOciError(error)) return undefined;
    throw error;
  }
}

/** The config of a package and the digest of its file. */
async function readPackage({ file, manifest }: Walk, digest: Digest) {
  const found = await manifest(digest);
  const edges = found && parsedOf(found)?.edges;
  const config = edges?.find(({ kind }) => kind === "config");
  const layers = edges?.filter(({ kind }) => kind === "layer") ?? [];
  const [layer] = layers;
  if (!config || !layer || layers.length > 1) {
    throw new SourceError(`The entry "${blobFile(digest)}" is not a package with one file.`);
  }
  const bytes = await file.readWhole(config.digest, CONFIG_BYTES_MAX);
  return { bytes, layer: layer.digest, label: blobFile(config.digest) };
}
