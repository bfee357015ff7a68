import type { Caller } from "@sealhouse/request-types";
import type { ContentDescriptor } from "./client/client.ts";
import type { ImageSource, ImageTarget, SourceManifest } from "./client/copy/ports.ts";
import { isDigest } from "./digest.ts";
import { parseManifest } from "./manifest/manifest.ts";
import { recordManifest } from "./manifest/record-manifest.ts";
import type { OciPorts, Page } from "./ports.ts";
import type { RepositoryName } from "./repository-name.ts";
import { allReferrers } from "./referrers.ts";
import { digestOfTag } from "./retention/digest-of-tag.ts";
import type { TagRetention } from "./retention/ports.ts";
import { storeBlob } from "./upload/upload.ts";

/** Common registry name, because repositories of one catalog can mount from each other. */
const HERE = "here";
const TAGS_PAGE = 1_000;
const MAX_BLOB_BYTES = 2 ** 40;

type TagLookup = Pick<TagRetention, "tagRecords">;
type CatalogPorts = Pick<OciPorts, "blobs" | "manifests" | "files">;

/** Returns a repository of this registry as the source of a copy. */
export function catalogSource(
  { blobs, manifests, files }: CatalogPorts,
  repository: RepositoryName,
): ImageSource {
  return {
    label: repository,
    home: { registry: HERE, repository },
    manifest: (reference) => manifests.find(repository, reference),
    async blob({ digest }) {
      const stored = await blobs.find(repository, digest);
      if (!stored) return undefined;
      const body = files.open(stored).read();
      return { body, [Symbol.asyncDispose]: async () => undefined };
    },
    async referrers(subject) {
      const listed: ContentDescriptor[] = [];
      for await (const { digest, mediaType, size } of allReferrers(
        manifests,
        repository,
        subject,
      )) {
        listed.push({ digest, mediaType, size });
      }
      return listed;
    },
    async *tags() {
      let page: Page = { limit: TAGS_PAGE };
      for (;;) {
        const tags = (await manifests.tags(repository, page)) ?? [];
        yield* tags;
        const after = tags.at(-1);
        if (tags.length < TAGS_PAGE || after === undefined) return;
        page = { limit: TAGS_PAGE, after };
      }
    },
  };
}

/** Returns a repository of this registry as the target of a copy. Writes work like a push. Checking
 * for a tag does not count as a pull. */
export function catalogTarget(
  { blobs, manifests, files, tags }: CatalogPorts & { readonly tags: TagLookup },
  repository: RepositoryName,
  options: { readonly caller: Caller; readonly maxBlobBytes?: number },
): ImageTarget {
  const { caller, maxBlobBytes = MAX_BLOB_BYTES } = options;
  const record = async (
    { digest, mediaType, bytes }: SourceManifest,
    tagNames: readonly string[],
  ) => {
    const { kind: _, ...parsed } = parseManifest(bytes, mediaType);
    const manifest = { ...parsed, repository, digest, bytes, tags: tagNames };
    await recordManifest(manifests, manifest, caller);
  };
  return {
    label: repository,
    home: { registry: HERE, repository },
    findManifest: async (reference) =>
      isDigest(reference)
        ? (await manifests.find(repository, reference))?.digest
        : digestOfTag(tags, repository, reference),
    findBlob: async (digest) => (await blobs.find(repository, digest))?.size,
    mount: (digest, from) =>
      blobs.mount(repository, digest, { mayPull: (name) => name === from, caller }),
    putBlob: (blob) => {
      const chunk = { body: blob.read(), length: blob.size };
      return storeBlob({ blobs, files, maxBlobBytes, caller }, repository, chunk, blob.digest);
    },
    putManifest: (manifest) => record(manifest, []),
    putTag: (tag, manifest) => record(manifest, [tag]),
  };
}
