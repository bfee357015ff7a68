import type { Caller } from "@sealhouse/request-types";
import { digestOf } from "../digest.ts";
import type { Digest } from "../digest.ts";
import type { Descriptor } from "../manifest/descriptor.ts";
import { OCI_IMAGE_MANIFEST } from "../manifest/media-type.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { recordManifest } from "../manifest/record-manifest.ts";
import type { Referrer } from "../ports.ts";
import { allReferrers } from "../referrers.ts";
import { storeBlob } from "../upload/upload.ts";
import type { SealPorts, SealSubject } from "./ports.ts";
import { parseJson } from "./json.ts";
import type { Json } from "./json.ts";

/** Nothing that is read or written here comes near it. */
const BYTES_MAX = 1024 * 1024;

/** Which key made it, so that others need not be read to find one's own. */
const KEY_ANNOTATION = "sealhouse.seal.key";

type Annotations = Readonly<Record<string, string>>;

export type Content = {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly annotations?: Annotations;
};

export type Artifact = {
  readonly artifactType: string;
  readonly config: Content;
  /** Existing artifacts are found by their content. */
  readonly layers: readonly (Content | Json)[];
  readonly annotations: Annotations;
};

type Stores = Pick<SealPorts, "blobs" | "manifests" | "files">;

/** Stores a manifest that refers to `subject`, and first what it needs. */
export async function attach(
  stores: Stores,
  subject: SealSubject,
  artifact: Artifact,
  { tags = [], caller }: { readonly tags?: readonly string[]; readonly caller: Caller },
): Promise<Digest> {
  const { repository, digest, mediaType, size } = subject;
  const config = await put(stores, subject, artifact.config);
  const layers: Json[] = [];
  for (const layer of artifact.layers) {
    layers.push(isContent(layer) ? await put(stores, subject, layer) : layer);
  }
  const bytes = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: OCI_IMAGE_MANIFEST,
      artifactType: artifact.artifactType,
      config,
      layers,
      subject: { mediaType, digest, size },
      annotations: artifact.annotations,
    }),
  );
  const { kind: _, ...parsed } = parseManifest(bytes, OCI_IMAGE_MANIFEST);
  const manifest = { ...parsed, repository, digest: digestOf(bytes), bytes, tags };
  await recordManifest(stores.manifests, manifest, caller);
  return manifest.digest;
}

function isContent(layer: Content | Json): layer is Content {
  return layer["bytes"] instanceof Uint8Array;
}

async function put(
  { blobs, files }: Stores,
  { repository }: SealSubject,
  { mediaType, bytes, annotations }: Content,
): Promise<Json> {
  const digest = digestOf(bytes);
  const uploading = { blobs, files, maxBlobBytes: BYTES_MAX };
  await storeBlob(uploading, repository, { body: once(bytes), length: bytes.length }, digest);
  return { mediaType, digest, size: bytes.length, ...(annotations && { annotations }) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A small blob of the subject's repository; undefined when it is not there, or not small. */
export async function read(
  { blobs, files }: Stores,
  { repository }: SealSubject,
  { digest, size }: Pick<Descriptor, "digest" | "size">,
): Promise<Uint8Array | undefined> {
  if (size > BYTES_MAX) return undefined;
  const stored = await blobs.find(repository, digest);
  if (!stored || stored.size > BYTES_MAX) return undefined;
  return Buffer.concat(await Array.fromAsync(files.open(stored).read()));
}

/** The only layer of each referrer of a type that says it was made with this key. */
export async function* layersMadeWith(
  stores: Stores,
  subject: SealSubject,
  { artifactType, key }: { readonly artifactType: string; readonly key: string },
): AsyncGenerator<Uint8Array> {
  const { repository, digest } = subject;
  for await (const referrer of allReferrers(stores.manifests, repository, digest, {
    artifactType,
  })) {
    if (sealKeyOf(referrer) !== key) continue;
    const manifest = await stores.manifests.find(subject.repository, referrer.digest);
    const layer = manifest && parseManifest(manifest.bytes, manifest.mediaType).edges.at(-1);
    const bytes = layer?.kind === "layer" ? await read(stores, subject, layer) : undefined;
    if (bytes) yield bytes;
  }
}

export function madeWith(key: string): Annotations {
  return { [KEY_ANNOTATION]: key };
}

/** Unverified annotation of a referrer about its key; undefined without one. */
export function sealKeyOf({ annotations = "{}" }: Pick<Referrer, "annotations">): unknown {
  return parseJson(annotations)?.[KEY_ANNOTATION];
}
