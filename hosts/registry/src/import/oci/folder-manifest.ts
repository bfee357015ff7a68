import { readFile, stat } from "node:fs/promises";
import type { Digest } from "@sealhouse/oci-distribution";
import {
  MAX_MANIFEST_BYTES,
  OciError,
  algorithmOf,
  digestOf,
  parseManifest,
} from "@sealhouse/oci-distribution";
import type { ContentDescriptor, SourceManifest } from "@sealhouse/oci-distribution/client";
import { SourceError, sourceFailed, unlessAbsent } from "../candidate.ts";

/** Undefined for what is not there. @throws {SourceError} for bytes that are not of this digest */
export async function readManifest(
  path: string,
  digest: Digest,
  mediaType?: string,
): Promise<SourceManifest | undefined> {
  const size = await sizeOf(path);
  if (size === undefined) return undefined;
  if (size > MAX_MANIFEST_BYTES) throw new SourceError(`${path} is too large for a manifest.`);
  const bytes = await readFile(path).catch(sourceFailed);
  if (digestOf(bytes, algorithmOf(digest)) !== digest) {
    throw new SourceError(`${path} is damaged: it does not have its digest.`);
  }
  return { digest, bytes, mediaType: typeIn(bytes, mediaType) };
}

/** Bytes; undefined where there is no file. @throws {SourceError} when nobody can tell */
export async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(unlessAbsent);
  return found?.isFile() === true ? found.size : undefined;
}

/** What the manifest says itself, or looks like. */
function typeIn(bytes: Uint8Array, told = ""): string {
  try {
    return parseManifest(bytes, told === "" ? undefined : told).mediaType;
  } catch (error) {
    if (error instanceof OciError) return told;
    throw error;
  }
}

/** What a manifest refers to, and how it is listed there; undefined for one without a subject. */
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
    if (error instanceof OciError) return undefined;
    throw error;
  }
}

/** What is damaged refers to nothing any more; that it is, is told when it is taken itself. */
export function unlessDamaged(error: unknown): undefined {
  if (error instanceof SourceError) return undefined;
  throw error;
}

/** Who refers to whom among these manifests. */
export async function referrersAmong(
  manifests: AsyncIterable<SourceManifest>,
): Promise<ReadonlyMap<Digest, readonly ContentDescriptor[]>> {
  const bySubject = new Map<Digest, ContentDescriptor[]>();
  for await (const manifest of manifests) {
    const found = referrerIn(manifest);
    if (!found) continue;
    const listed = bySubject.get(found.subject) ?? [];
    listed.push(found.descriptor);
    bySubject.set(found.subject, listed);
  }
  return bySubject;
}
