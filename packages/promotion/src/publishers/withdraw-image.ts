import { isCallError } from "@sealhouse/http-responses/outgoing";
import { isDigest } from "@sealhouse/oci-distribution";
import type { Digest } from "@sealhouse/oci-distribution";
import { fallbackTagOf } from "@sealhouse/oci-distribution/client";
import type { RepositoryClient } from "@sealhouse/oci-distribution/client";
import { STATEMENT_TYPE } from "../statement/release-statement.ts";

/** Most tags of a repository that are compared before an image is deleted by digest. */
const TAGS_MAX = 10_000;

/** A new tag of a release, and the image that it points to. */
export type NewTag = {
  readonly tag: string;
  readonly digest: Digest;
  /** All new tags of the release on this image. */
  readonly newTags: ReadonlySet<string>;
};

/** `image`: the image went with its tag. */
export type Withdrawn =
  | { readonly status: "tag" | "image" }
  | { readonly status: "refused"; readonly reason: string };

/**
 * Deletes a new tag. Registries such as docker-registry 2.8 delete only by digest, and answer 400
 * or 405 to a tag. Then the image itself goes, with the statements of releases about it, unless
 * another tag points to it.
 */
export async function withdrawTag(
  place: RepositoryClient,
  { tag, digest, newTags }: NewTag,
  signal: AbortSignal,
): Promise<Withdrawn> {
  if (await isDeleted(place, tag, signal)) return { status: "tag" };
  const other = await otherTag(place, { digest, newTags }, signal);
  if (other !== undefined) {
    const reason = `the registry deletes only by digest, and ${other} points to the same image`;
    return { status: "refused", reason };
  }
  await withdrawStatements(place, digest, signal);
  await place.deleteManifest(digest, { signal });
  return { status: "image" };
}

/** False where the registry deletes no tags. */
async function isDeleted(
  place: RepositoryClient,
  tag: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await place.deleteManifest(tag, { signal });
    return true;
  } catch (error) {
    if (isCallError(error) && (error.status === 400 || error.status === 405)) return false;
    throw error;
  }
}

/** Returns a tag of others on the image. */
async function otherTag(
  place: RepositoryClient,
  { digest, newTags }: Pick<NewTag, "digest" | "newTags">,
  signal: AbortSignal,
): Promise<string | undefined> {
  let count = 0;
  for await (const tag of place.tags({ signal })) {
    count += 1;
    if (count > TAGS_MAX) return `perhaps another of more than ${TAGS_MAX} tags`;
    if (newTags.has(tag)) continue;
    if ((await place.findManifest(tag, { signal }))?.digest === digest) return tag;
  }
  return undefined;
}

/** Deletes the statements of releases, and their entries in the fallback index of referrers. */
async function withdrawStatements(
  place: RepositoryClient,
  digest: Digest,
  signal: AbortSignal,
): Promise<void> {
  const tag = fallbackTagOf(digest);
  const index = await place.manifest(tag, { signal });
  const content = index && contentOf(index.bytes);
  if (!index || !content) return;
  const others = content.manifests.filter((entry) => !isStatement(entry));
  if (others.length === content.manifests.length) return;
  if (others.length > 0) {
    const bytes = Buffer.from(JSON.stringify({ ...content, manifests: others }));
    await place.putManifest(tag, { mediaType: index.mediaType, bytes }, { signal });
  } else if (!(await isDeleted(place, tag, signal))) {
    await place.deleteManifest(index.digest, { signal });
  }
  for (const { digest: statement } of content.manifests.filter(isStatement)) {
    await place.deleteManifest(statement, { signal });
  }
}

type Index = Readonly<Record<string, unknown>> & { readonly manifests: readonly unknown[] };

function contentOf(bytes: Uint8Array): Index | undefined {
  const value: unknown = JSON.parse(Buffer.from(bytes).toString());
  const manifests: unknown = Object(value)["manifests"];
  return Array.isArray(manifests) ? { ...Object(value), manifests } : undefined;
}

function isStatement(entry: unknown): entry is { readonly digest: string } {
  const { digest, annotations } = Object(entry) as { digest?: unknown; annotations?: unknown };
  const type: unknown = Object(annotations)["dev.sigstore.bundle.predicateType"];
  return type === STATEMENT_TYPE && typeof digest === "string" && isDigest(digest);
}
