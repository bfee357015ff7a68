import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Digest } from "@sealhouse/oci-distribution";
import { isDigest, isRepositoryName, isTag } from "@sealhouse/oci-distribution";
import type { ImageSource, SourceManifest } from "@sealhouse/oci-distribution/client";
import { SourceError, fileFromSource, sourceFailed } from "../candidate.ts";
import { readManifest, referrersAmong, sizeOf, unlessDamaged } from "./folder-manifest.ts";
import type { OciSource, WantedImage } from "./oci-source.ts";

type Entry = {
  readonly digest: Digest;
  readonly mediaType: string | undefined;
  readonly tag: string | undefined;
};

const REF_NAME = "org.opencontainers.image.ref.name";

/** An OCI image layout: `oci-layout`, `index.json` and `blobs/`. It has no name of its own, so its
 * repository is called as is said, or else like the folder. */
export async function layoutFolder(folder: string, named?: string): Promise<OciSource> {
  const root = resolve(folder);
  const name = named ?? basename(root).toLowerCase();
  if (!isRepositoryName(name)) {
    throw new SourceError(`"${name}" is no name of a repository; give one with --repositories.`);
  }
  const entries = await entriesOf(root);
  return {
    async *repositories() {
      yield { name, images: imagesOf(root, entries), wanted: () => wantedOf(entries) };
    },
  };
}

/** Entries of one manifest under several tags are one image. */
async function* wantedOf(entries: readonly Entry[]): AsyncGenerator<WantedImage, void, undefined> {
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
    const manifest = await read(digest).catch(unlessDamaged);
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
  const text = await readFile(path, "utf8").catch(sourceFailed);
  const { manifests } = parse(text, path) as { readonly manifests?: unknown };
  if (!Array.isArray(manifests)) throw new SourceError(`${path} has no list of manifests.`);
  return manifests.map((one: unknown) => entryOf(one, path));
}

function entryOf(value: unknown, path: string): Entry {
  const entry = typeof value === "object" && value !== null ? { ...value } : {};
  const { digest, mediaType, annotations } = entry as Readonly<Record<string, unknown>>;
  if (typeof digest !== "string" || !isDigest(digest)) {
    throw new SourceError(`${path} lists something that is no descriptor.`);
  }
  const named = typeof annotations === "object" && annotations !== null ? { ...annotations } : {};
  const name = (named as Readonly<Record<string, unknown>>)[REF_NAME];
  return {
    digest,
    mediaType: typeof mediaType === "string" ? mediaType : undefined,
    tag: typeof name === "string" ? tagIn(name) : undefined,
  };
}

/** Some tools write the whole name there: `registry.example/team/app:1.0`. */
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
    // Told below.
  }
  throw new SourceError(`${path} is no JSON object.`);
}
