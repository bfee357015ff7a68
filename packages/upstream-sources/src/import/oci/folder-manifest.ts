import { readFile, stat } from "node:fs/promises";
import type { Digest } from "@sealhouse/oci-distribution";
import {
  MAX_MANIFEST_BYTES,
  isOciError,
  algorithmOf,
  digestOf,
  parseManifest,
} from "@sealhouse/oci-distribution";
import type { ContentDescriptor, SourceManifest } from "@sealhouse/oci-distribution/client";
import {
  isSourceError,
  SourceError,
  throwSourceError,
  undefinedIfMissing,
} from "../../source-error.ts";

/** Returns undefined for a missing file. @throws {SourceError} for bytes with another digest */
export async function readManifest(
  path: string,
  digest: Digest,
  mediaType?: string,
): Promise<SourceManifest | undefined> {
  const size = await sizeOf(path);
  if (size === undefined) return undefined;
  if (size > MAX_MANIFEST_BYTES) throw new SourceError(`${path} is too large for a manifest.`);
  const bytes = await readFile(path).catch(throwSourceError);
  if (digestOf(bytes, algorithmOf(digest)) !== digest) {
    throw new SourceError(`${path} is damaged: its digest does not match.`);
  }
  return { digest, bytes, mediaType: manifestTypeOf(bytes, mediaType) };
}

/** Returns the size in bytes; undefined for a missing file. @throws {SourceError} */
export async function sizeOf(path: string): Promise<number | undefined> {
  const stats = await stat(path).catch(undefinedIfMissing);
  return stats?.isFile() === true ? stats.size : undefined;
}

/** Returns the media type that the manifest contains or that its fields imply. */
export function manifestTypeOf(bytes: Uint8Array, listed = ""): string {
  try {
    return parseManifest(bytes, listed === "" ? undefined : listed).mediaType;
  } catch (error) {
    if (isOciError(error)) return listed;
    throw error;
  }
}

/** Returns the subject of a manifest and its descriptor; undefined for one without a subject. */
export function referrerIn({
  digest,
  mediaType,
  bytes,
}: SourceManifest):
  | { readonly subject: Digest; readonly descriptor: ContentDescriptor }
  | undefined {
  try {
    const { subject } = parseManifest(bytes, mediaType);
    if (subject === undefined) return undefined;
    return { subject, descriptor: { digest, mediaType, size: bytes.length } };
  } catch (error) {
    if (isOciError(error)) return undefined;
    throw error;
  }
}

/** Ignores a damaged manifest here: its own import reports it. */
export function undefinedIfDamaged(error: unknown): undefined {
  if (isSourceError(error)) return undefined;
  throw error;
}

/** Returns the referrers of each subject among these manifests. */
export async function referrersAmong(
  manifests: AsyncIterable<SourceManifest>,
): Promise<ReadonlyMap<Digest, readonly ContentDescriptor[]>> {
  const bySubject = new Map<Digest, ContentDescriptor[]>();
  for await (const manifest of manifests) {
    const referrer = referrerIn(manifest);
    if (!referrer) continue;
    const listed = bySubject.get(referrer.subject) ?? [];
    listed.push(referrer.descriptor);
    bySubject.set(referrer.subject, listed);
  }
  return bySubject;
}
