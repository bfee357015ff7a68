import type { Caller } from "@sealhouse/request-types";
import assert from "node:assert/strict";
import type { Digest } from "../../digest.ts";
import { digestOf } from "../../digest.ts";
import type {
  IdleUploads,
  NewBlob,
  NewManifest,
  OciPorts,
  OpenUploads,
  UploadCatalog,
  OciVerdict,
} from "../../ports.ts";
import type { RepositoryName } from "../../repository-name.ts";
import { parseRepositoryName } from "../../repository-name.ts";
import type { ImageOptions, TestManifest } from "../build-image.ts";
import { buildImage } from "../build-image.ts";

/** The ports that a database answers. */
export type OciCatalog = Pick<OciPorts, "blobs" | "manifests"> & {
  readonly uploads: UploadCatalog & OpenUploads & IdleUploads;
};

export type OciPortsCase = {
  readonly name: string;
  /** Wants an empty catalog; rejects with an `AssertionError` when a promise is broken. */
  readonly run: (ports: OciCatalog) => Promise<void>;
};

export const caller: Caller = { actor: "tester", requestId: "request-1" };

export function repository(name: string): RepositoryName {
  return parseRepositoryName(name);
}

/** A blob row for `content`; another `generation` is another object with the same bytes. */
export function newBlob(content: string, generation = "1"): NewBlob {
  const bytes = Buffer.from(content);
  const digest = digestOf(bytes);
  return { digest, key: keyOf(digest, generation), size: bytes.length };
}

/** Mount sources, by identity. */
export function allow(...names: readonly string[]): Extract<OciVerdict, { status: "granted" }> {
  return { status: "granted", caller, mayPull: (name) => names.includes(name) };
}

/** Links the image's blobs in `name` and answers with the manifest, ready to be recorded. */
export async function prepared(
  ports: OciCatalog,
  name: string,
  options: ImageOptions & { readonly tags?: readonly string[] } = {},
): Promise<NewManifest> {
  const image = buildImage(options);
  for (const { digest, bytes } of image.blobs) {
    const blob = { digest, key: keyOf(digest, "1"), size: bytes.length };
    await ports.blobs.link(repository(name), blob);
  }
  return newManifest(name, image, options.tags);
}

export function newManifest(
  name: string,
  image: TestManifest,
  tags: readonly string[] = [],
): NewManifest {
  const { digest, mediaType, bytes } = image;
  const [config, ...layers] = image.blobs.map((blob) => ({
    digest: blob.digest,
    size: blob.bytes.length,
  }));
  assert.ok(config);
  const edges = [
    { ...config, kind: "config" as const },
    ...layers.map((layer) => ({ ...layer, kind: "layer" as const })),
  ];
  return { repository: repository(name), digest, mediaType, bytes, edges, tags };
}

export function newIndex(
  name: string,
  { digest, mediaType, bytes }: TestManifest,
  children: readonly TestManifest[],
  tags: readonly string[] = [],
): NewManifest {
  const edges = children.map((child) => {
    return { digest: child.digest, size: child.bytes.length, kind: "child" as const };
  });
  return { repository: repository(name), digest, mediaType, bytes, edges, tags };
}

/** Records a manifest and insists that it was new. */
export async function recorded(ports: OciCatalog, manifest: NewManifest): Promise<Digest> {
  assert.equal((await ports.manifests.record(manifest, caller)).status, "recorded");
  return manifest.digest;
}

function keyOf(digest: Digest, generation: string): string {
  const hex = digest.slice(digest.indexOf(":") + 1);
  return `oci/blobs/sha256/${hex.slice(0, 2)}/${hex}.${generation}`;
}
