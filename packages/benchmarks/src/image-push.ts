import { MANIFEST_TYPE, beginUpload, digestOf, withDigest } from "./image-client.ts";
import type { ImageClient } from "./image-client.ts";
import type { Layer } from "./image-cases.ts";

/** An image to push; the files of its layers are sent unchanged. */
export type PushedImage = {
  readonly repository: string;
  readonly tag: string;
  readonly layers: readonly Layer[];
};

/** Pushes the layers, a configuration and the manifest; resolves to the digests of all blobs. */
export async function pushImage(
  client: ImageClient,
  { repository, tag, layers }: PushedImage,
): Promise<readonly string[]> {
  const config = Buffer.from(JSON.stringify({ architecture: "amd64", os: "linux", repository }));
  for (const { path: file, digest, size } of layers) {
    await pushBlob(client, repository, { digest, size, file });
  }
  const digest = digestOf(config);
  await pushBlob(client, repository, { digest, size: config.length, body: config });
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: {
      mediaType: "application/vnd.oci.image.config.v1+json",
      digest,
      size: config.length,
    },
    layers: layers.map((layer) => ({
      mediaType: "application/vnd.oci.image.layer.v1.tar",
      digest: layer.digest,
      size: layer.size,
    })),
  };
  const body = Buffer.from(JSON.stringify(manifest));
  const headers = { "content-type": MANIFEST_TYPE, "content-length": body.length };
  const path = `/v2/${repository}/manifests/${tag}`;
  await client.ask({ method: "PUT", path, status: 201, headers, body });
  return [...layers.map((layer) => layer.digest), digest];
}

type Blob = { readonly digest: string; readonly size: number } & (
  | { readonly file: string }
  | { readonly body: Uint8Array }
);

async function pushBlob(
  client: ImageClient,
  repository: string,
  { digest, size, ...content }: Blob,
): Promise<void> {
  const path = withDigest(await beginUpload(client, repository), digest);
  const headers = { "content-type": "application/octet-stream", "content-length": size };
  await client.ask({ method: "PUT", path, status: 201, headers, ...content });
}
