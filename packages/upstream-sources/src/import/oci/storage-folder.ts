import { opendir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Digest } from "@sealhouse/oci-distribution";
import { isDigest, isRepositoryName, isTag } from "@sealhouse/oci-distribution";
import type { ImageSource, SourceManifest } from "@sealhouse/oci-distribution/client";
import { SourceError, throwSourceError } from "../../source-error.ts";
import { readManifest, referrersAmong, undefinedIfDamaged } from "./folder-manifest.ts";
import { openFile } from "./layout-folder.ts";
import type { OciSource, SourceRepository, SourceImage } from "./oci-source.ts";

/** Path below the root directory of docker-registry. */
const INNER = ["docker", "registry", "v2"] as const;
const DEPTH_MAX = 64;

/** Returns the folder with `repositories` and `blobs`; undefined for another kind of folder. */
export async function findStorage(folder: string): Promise<string | undefined> {
  const root = resolve(folder);
  for (const candidate of [join(root, ...INNER), root]) {
    const stats = await stat(join(candidate, "repositories")).catch(() => undefined);
    if (stats?.isDirectory() === true) return candidate;
  }
  return undefined;
}

/**
 * Returns the storage folder of a docker-registry as a source. The registry need not run. Imports a
 * manifest without a tag only with `withUntagged`, or when it refers to an imported image.
 */
export function storageFolder(
  root: string,
  options: { readonly withUntagged: boolean },
): OciSource {
  return {
    async *repositories() {
      for await (const name of namesBelow(join(root, "repositories"), [])) {
        yield repositoryOf(root, name, options);
      }
    },
  };
}

async function* namesBelow(
  folder: string,
  parts: readonly string[],
): AsyncGenerator<string, void, undefined> {
  const names = await foldersIn(folder);
  if (names.includes("_manifests") && parts.length > 0) yield parts.join("/");
  if (parts.length === DEPTH_MAX) return;
  for (const name of names.filter((entryName) => !entryName.startsWith("_"))) {
    yield* namesBelow(join(folder, name), [...parts, name]);
  }
}

function repositoryOf(
  root: string,
  name: string,
  { withUntagged }: { readonly withUntagged: boolean },
): SourceRepository {
  const home = join(root, "repositories", ...name.split("/"), "_manifests");
  const images = imagesOf(root, name, home);
  return {
    name,
    images,
    async *listImages() {
      if (!isRepositoryName(name)) throw new SourceError("It is not a valid repository name.");
      for await (const tag of tagsOf(home)) yield { reference: tag, tags: [tag] };
      if (withUntagged) yield* revisionsOf(home);
    },
  };
}

function imagesOf(root: string, name: string, home: string): ImageSource {
  const dataOf = (digest: Digest) => {
    const [algorithm = "", hex = ""] = digest.split(":");
    return join(root, "blobs", algorithm, hex.slice(0, 2), hex, "data");
  };
  const read = async (digest: Digest) => {
    // All repositories share the bytes. The link makes them a manifest of this one.
    const link = join(home, "revisions", ...digest.split(":"), "link");
    return (await linkAt(link)) === digest ? readManifest(dataOf(digest), digest) : undefined;
  };
  let referrers: ReturnType<typeof referrersAmong> | undefined;
  return {
    label: `${name} in ${root}`,
    async manifest(reference) {
      if (isDigest(reference)) return read(reference);
      const digest = await linkAt(join(home, "tags", reference, "current", "link"));
      return digest && read(digest);
    },
    blob: ({ digest }, { signal }) => openFile(dataOf(digest), signal),
    async referrers(subject) {
      referrers ??= referrersAmong(manifestsOf(home, read));
      return (await referrers).get(subject) ?? [];
    },
    tags: () => tagsOf(home),
  };
}

async function* tagsOf(home: string): AsyncGenerator<string, void, undefined> {
  for (const tag of await foldersIn(join(home, "tags"))) if (isTag(tag)) yield tag;
}

async function* revisionsOf(home: string): AsyncGenerator<SourceImage, void, undefined> {
  for (const algorithm of await foldersIn(join(home, "revisions"))) {
    for (const hex of await foldersIn(join(home, "revisions", algorithm))) {
      const digest = `${algorithm}:${hex}`;
      // A deleted manifest leaves its folder without the link.
      const link =
        isDigest(digest) && (await linkAt(join(home, "revisions", algorithm, hex, "link")));
      if (link === digest) yield { reference: digest, tags: [] };
    }
  }
}

async function* manifestsOf(
  home: string,
  read: (digest: Digest) => Promise<SourceManifest | undefined>,
): AsyncGenerator<SourceManifest, void, undefined> {
  for await (const { reference } of revisionsOf(home)) {
    const manifest = isDigest(reference)
      ? await read(reference).catch(undefinedIfDamaged)
      : undefined;
    if (manifest) yield manifest;
  }
}

async function linkAt(path: string): Promise<Digest | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  const digest = text.trim();
  return isDigest(digest) ? digest : undefined;
}

/** Returns the names of the folders, sorted. Empty when the folder is missing. */
async function foldersIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (entry.isDirectory()) names.push(entry.name);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    return throwSourceError(error);
  }
  return names.toSorted();
}
