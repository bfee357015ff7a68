import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import type { Digest } from "../../digest.ts";
import { MAX_INDEX_DEPTH, parseManifest } from "../../manifest/manifest.ts";
import type { ManifestEdge } from "../../ports.ts";
import { OciError } from "../../errors.ts";
import { CopyError } from "./copied.ts";
import type { ImageSource, SourceManifest } from "./ports.ts";

/**
 * Returns the digests that the indexes of an image name and its source does not have; such an image
 * is called sparse. Most registries refuse it.
 * @throws {CopyError} when a manifest is none
 */
export async function missingChildren(
  source: ImageSource,
  reference: string,
  options: CallOptions,
): Promise<readonly Digest[]> {
  const known = new Set<Digest>();
  const missing: Digest[] = [];
  const walk = async (manifest: SourceManifest, depth: number): Promise<void> => {
    if (depth > MAX_INDEX_DEPTH) throw tooDeep(manifest.digest);
    for (const edge of edgesOf(manifest)) {
      if (edge.kind !== "child" || known.has(edge.digest)) continue;
      known.add(edge.digest);
      const child = await source.manifest(edge.digest, options);
      if (child) await walk(child, depth + 1);
      else if (!(await isBlob(source, edge, options))) missing.push(edge.digest);
    }
  };
  const manifest = await source.manifest(reference, options);
  if (manifest) await walk(manifest, 0);
  return missing;
}

/** In build caches, indexes name blobs. */
async function isBlob(
  source: ImageSource,
  edge: ManifestEdge,
  options: CallOptions,
): Promise<boolean> {
  await using blob = await source.blob(edge, options);
  return blob !== undefined;
}

/** The error about indexes within indexes. */
export function tooDeep(digest: Digest): CopyError {
  const message = `${digest} is nested deeper than ${MAX_INDEX_DEPTH} indexes.`;
  return new CopyError("invalid", message);
}

/** Returns what a manifest of a source names. */
export function edgesOf({ digest, bytes, mediaType }: SourceManifest): readonly ManifestEdge[] {
  try {
    return parseManifest(bytes, mediaType).edges;
  } catch (error) {
    if (!(error instanceof OciError)) throw error;
    throw new CopyError("invalid", `${digest}: ${error.message}.`, error);
  }
}
