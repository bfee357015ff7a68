import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Digest } from "@sealhouse/oci-distribution";
import { isDigest, isRepositoryName, isTag } from "@sealhouse/oci-distribution";
import type { ImageSource, SourceManifest } from "@sealhouse/oci-distribution/client";
import { SourceError, fileFromSource, throwSourceError } from "../../source-error.ts";
import { readManifest, referrersAmong, sizeOf, undefinedIfDamaged } from "./folder-manifest.ts";
import type { OciSource, SourceImage } from "./oci-source.ts";

type Entry = {
  readonly digest: Digest;
  readonly mediaType: string | undefined;
  readonly tag: string | undefined;
};

const REF_NAME = "org.opencontainers.image.ref.name";

/** Opens an OCI image layout: `oci-layout`, `index.json` and `blobs/`. It contains no repository
 * name, so the repository gets the name in `repository`, or else that of the folder. */
export async function openLayoutFolder(folder: string, repository?: string): Promise<OciSource> {
  const root = resolve(folder);
  const name = repository ?? basename(root).toLowerCase();
  if (!isRepositoryName(name)) {
    throw new SourceError(`"${name}" is not a repository name. Set one with --repositories.`);
  }
  const entries = await entriesOf(root);
  return {
    async *repositories() {
      yield { name, images: imagesOf(root, entries), listImages: () => imagesIn(entries) };
    },
  };
}

/** Groups the entries of one manifest with several tags. */
async function* imagesIn(entries: readonly Entry[]): AsyncGenerator<SourceImage, void, undefined> {
  for (const [digest, same] of Map.groupBy(entries, (entry) => entry.digest)) {
    yield { reference: digest, tags: same.flatMap(({ tag }) => tag ?? []) };
  }
}

function imagesOf(root: string, entries: readonly Entry[]): ImageSource {
  const pathOf = (digest: Digest) => join(root, "blobs", ...digest.split(":"));
  const types = new Map(entries.map(({ digest, mediaType }) => [digest, mediaType]));
  const read = (digest: Digest) => readManifest(pathOf(digest), digest, types.get(digest));
  let referrers: ReturnType<typeof referrersAmong> | undefined;
  return {
    label: root,
    async manifest(reference) {
      const tagged = entries.find(({ tag }) => tag === reference)?.digest;
      const digest = isDigest(reference) ? reference : tagged;
      return digest && read(digest);
    },
    async blob({ digest }, { signal }) {
      return openFile(pathOf(digest), signal);
    },
    async referrers(subject) {
      referrers ??= referrersAmong(manifestsOf(entries, read));
      return (await referrers).get(subject) ?? [];
    },
    async *tags() {
      for (const { tag } of entries) if (tag !== undefined) yield tag;
    },
  };
}

async function* manifestsOf(
  entries: readonly Entry[],
  read: (digest: Digest) => Promise<SourceManifest | undefined>,
): AsyncGenerator<SourceManifest, void, undefined> {
  for (const { digest } of entries) {
    const manifest = await read(digest).catch(undefinedIfDamaged);
    if (manifest) yield manifest;
  }
}

export async function openFile(path: string, signal: AbortSignal | undefined) {
  if ((await sizeOf(path)) === undefined) return undefined;
  const body = fileFromSource(path, { ...(signal && { signal }) });
  return { body, [Symbol.asyncDispose]: async () => void (await body.return()) };
}

async function entriesOf(root: string): Promise<readonly Entry[]> {
  const path = join(root, "index.json");
  const text = await readFile(path, "utf8").catch(throwSourceError);
  const { manifests } = parse(text, path) as { readonly manifests?: unknown };
  if (!Array.isArray(manifests))
    throw new SourceError(`${path} does not contain a list of manifests.`);
  return manifests.map((manifest: unknown) => entryOf(manifest, path));
}

function entryOf(value: unknown, path: string): Entry {
  const entry = typeof value === "object" && value !== null ? { ...value } : {};
  const { digest, mediaType, annotations } = entry as Readonly<Record<string, unknown>>;
  if (typeof digest !== "string" || !isDigest(digest)) {
    throw new SourceError(`${path} lists an entry that is not a descriptor.`);
  }
  const fields = typeof annotations === "object" && annotations !== null ? { ...annotations } : {};
  const name = (fields as Readonly<Record<string, unknown>>)[REF_NAME];
  return {
    digest,
    mediaType: typeof mediaType === "string" ? mediaType : undefined,
    tag: typeof name === "string" ? tagIn(name) : undefined,
  };
}

/** Returns the tag in a full name too, which some tools write: `registry.example/team/app:1.0`. */
function tagIn(name: string): string | undefined {
  if (isTag(name)) return name;
  const [, tag = ""] = /:([^:/]+)$/.exec(name) ?? [];
  return isTag(tag) ? tag : undefined;
}

function parse(text: string, path: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Reported below.
  }
  throw new SourceError(`${path} is not a JSON object.`);
}
