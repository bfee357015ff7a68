import { setTimeout as pause } from "node:timers/promises";
import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import type { Digest } from "../../digest.ts";
import { MAX_MANIFEST_BYTES, parseManifest } from "../../manifest/manifest.ts";
import { OCI_IMAGE_INDEX, manifestKindOf } from "../../manifest/media-type.ts";
import { isObject } from "../../manifest/descriptor.ts";
import type { FetchedManifest, RepositoryClient } from "../client.ts";
import { fallbackTagOf } from "../../attached-tag.ts";
import { objectIn } from "../read-answer.ts";
import { CopyError } from "./copied.ts";
import type { SourceManifest } from "./ports.ts";

const ATTEMPTS_MAX = 5;
const PAUSE_MS = 100;

/** Lists a manifest with a subject where clients look in a registry without the referrers API. Two
 * writers at a time lose nothing where the registry sends an `ETag` and heeds `If-Match`. Others,
 * such as distribution 2.8, let one overwrite the other: so the index is read again afterwards. */
export async function addToFallbackIndex(
  place: RepositoryClient,
  manifest: SourceManifest,
  options: CallOptions,
): Promise<void> {
  const entry = entryOf(manifest);
  if (!entry) return;
  const tag = fallbackTagOf(entry.subject);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const there = await place.manifest(tag, options);
    const listed = listedIn(there, tag);
    if (lists(listed, manifest)) return;
    const bytes = indexOf([...listed, entry.descriptor], tag);
    const condition = there?.etag === undefined ? {} : { ifMatch: there.etag };
    const index = { mediaType: OCI_IMAGE_INDEX, bytes };
    const outcome = await place.putManifest(tag, index, { ...options, ...condition });
    const isStored = outcome.status === "stored";
    if (isStored && lists(listedIn(await place.manifest(tag, options), tag), manifest)) return;
    await pause(PAUSE_MS * attempt, undefined, options.signal && { signal: options.signal });
  }
  throw new CopyError("unconfirmed", `Another client keeps changing ${place.name}:${tag}.`);
}

/** Undefined for what has no subject. */
function entryOf({ digest, mediaType, bytes }: SourceManifest) {
  if (!manifestKindOf(mediaType)) return undefined;
  const { subject, artifactType, annotations } = parseManifest(bytes, mediaType);
  if (subject === undefined) return undefined;
  const descriptor = {
    mediaType,
    digest,
    size: bytes.length,
    ...(annotations !== undefined && { annotations: JSON.parse(annotations) as unknown }),
    ...(artifactType !== undefined && { artifactType }),
  };
  return { subject: subject satisfies Digest, descriptor };
}

/** The existing entries, with all their fields. */
function listedIn(there: FetchedManifest | undefined, tag: string): readonly unknown[] {
  if (!there) return [];
  const manifests: unknown = objectIn(there.bytes)?.["manifests"];
  if (Array.isArray(manifests)) return manifests;
  throw new CopyError(
    "invalid",
    `${tag} is the fallback tag of referrers, but it is not an index.`,
  );
}

function lists(entries: readonly unknown[], { digest }: SourceManifest): boolean {
  return entries.some((entry) => isObject(entry) && entry["digest"] === digest);
}

function indexOf(manifests: readonly unknown[], tag: string): Uint8Array {
  const content = { schemaVersion: 2, mediaType: OCI_IMAGE_INDEX, manifests };
  const bytes = Buffer.from(JSON.stringify(content));
  if (bytes.length <= MAX_MANIFEST_BYTES) return bytes;
  throw new CopyError("invalid", `${tag} would be larger than a manifest may be.`);
}
