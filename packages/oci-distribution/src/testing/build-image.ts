import type { Digest } from "../digest.ts";
import { digestOf } from "../digest.ts";

export type TestDescriptor = {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly [field: string]: unknown;
};

export type TestBlob = { readonly digest: Digest; readonly bytes: Uint8Array };

export type TestManifest = {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly bytes: Uint8Array;
  /** Points at this manifest, for an index or as a `subject`. */
  readonly descriptor: TestDescriptor;
  /** Content to push first, including the config. */
  readonly blobs: readonly TestBlob[];
};

export const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
export const OCI_INDEX = "application/vnd.oci.image.index.v1+json";
export const DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
export const DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";

export type ImageOptions = {
  /** Contents of the layers; `["layer"]` when left out. */
  readonly layers?: readonly (string | Uint8Array)[];
  readonly config?: string;
  readonly configType?: string;
  readonly mediaType?: string;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly subject?: TestDescriptor;
  /** Any other field, or another value for one of those above. */
  readonly fields?: Readonly<Record<string, unknown>>;
};

/** An image or, with `artifactType`, an artifact. With `subject`, a referrer. */
export function buildImage(options: ImageOptions = {}): TestManifest {
  const { layers = ["layer"], config = "{}", mediaType = OCI_MANIFEST } = options;
  const docker = mediaType === DOCKER_MANIFEST;
  const configType = docker
    ? "application/vnd.docker.container.image.v1+json"
    : "application/vnd.oci.image.config.v1+json";
  const layerType = docker
    ? "application/vnd.docker.image.rootfs.diff.tar.gzip"
    : "application/vnd.oci.image.layer.v1.tar+gzip";
  const configBlob = blobOf(config);
  const layerBlobs = layers.map(blobOf);
  return finish(
    mediaType,
    {
      schemaVersion: 2,
      mediaType,
      ...optionalFields(options),
      config: describe(options.configType ?? configType, configBlob),
      layers: layerBlobs.map((blob) => describe(layerType, blob)),
      ...options.fields,
    },
    [configBlob, ...layerBlobs],
  );
}

export type IndexOptions = Pick<
  ImageOptions,
  "mediaType" | "artifactType" | "annotations" | "subject" | "fields"
>;

export function buildIndex(
  children: readonly TestManifest[],
  options: IndexOptions = {},
): TestManifest {
  const { mediaType = OCI_INDEX } = options;
  const manifests = children.map((child) => child.descriptor);
  return finish(
    mediaType,
    { schemaVersion: 2, mediaType, ...optionalFields(options), manifests, ...options.fields },
    [],
  );
}

/** A manifest of any content whatever: for what a registry must refuse, or keep byte for byte. */
export function buildRaw(mediaType: string, content: string | Uint8Array): TestManifest {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const digest = digestOf(bytes);
  const descriptor = { mediaType, digest, size: bytes.length };
  return { mediaType, digest, bytes, descriptor, blobs: [] };
}

export function blobOf(content: string | Uint8Array): TestBlob {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return { digest: digestOf(bytes), bytes };
}

export function describe(mediaType: string, { digest, bytes }: TestBlob): TestDescriptor {
  return { mediaType, digest, size: bytes.length };
}

function optionalFields({ artifactType, annotations, subject }: IndexOptions) {
  return {
    ...(artifactType !== undefined && { artifactType }),
    ...(subject && { subject }),
    ...(annotations && { annotations }),
  };
}

function finish(
  mediaType: string,
  content: Readonly<Record<string, unknown>>,
  blobs: readonly TestBlob[],
): TestManifest {
  return { ...buildRaw(mediaType, JSON.stringify(content)), blobs };
}
