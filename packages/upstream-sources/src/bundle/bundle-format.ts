import type { Digest } from "@sealhouse/oci-distribution";

/** A file of an OCI image layout that is a tar. */
export const LAYOUT_FILE = "oci-layout";
export const INDEX_FILE = "index.json";
export const LAYOUT_TEXT = '{"imageLayoutVersion":"1.0.0"}';

export const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
export const INDEX_TYPE = "application/vnd.oci.image.index.v1+json";
export const NUGET_ARTIFACT = "application/vnd.sealhouse.nuget.v1";
export const NPM_ARTIFACT = "application/vnd.sealhouse.npm.v1";
export const NUGET_CONFIG = "application/vnd.sealhouse.nuget.config.v1+json";
export const NPM_CONFIG = "application/vnd.sealhouse.npm.config.v1+json";
export const NUPKG_LAYER = "application/vnd.sealhouse.nuget.package.v1+zip";
export const TARBALL_LAYER = "application/vnd.sealhouse.npm.package.v1.tar+gzip";

/** Annotations of the index. */
export const TITLE = "org.opencontainers.image.title";
export const REF_NAME = "org.opencontainers.image.ref.name";
/** Repository of an image. */
export const REPOSITORY = "dev.sealhouse.repository";
export const TAG = "dev.sealhouse.tag";

/** 200,000 versions need about 60 MB. */
export const INDEX_BYTES_MAX = 128 * 1024 * 1024;
export const CONFIG_BYTES_MAX = 16 * 1024 * 1024;

export type Descriptor = {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** Name of the file of a blob: `blobs/sha256/…`. */
export function blobFile(digest: Digest): string {
  return `blobs/${digest.replace(":", "/")}`;
}
