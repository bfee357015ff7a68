import { createHash, randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { buildTarEntry } from "@sealhouse/npm-protocol/testing";

/**
 * Writes an image of two layers of `layerBytes` each as an OCI image layout, the form that skopeo
 * reads as `oci:`.
 */
export async function writeImageLayout(
  folder: string,
  tag: string,
  layerBytes = 200_000,
): Promise<void> {
  const layers = ["first.txt", "second.bin"].map((path) => layerOf(path, layerBytes));
  const image = buildImage({
    layers: layers.map((layer) => gzipSync(layer)),
    config: JSON.stringify({
      architecture: "amd64",
      os: "linux",
      rootfs: { type: "layers", diff_ids: layers.map((layer) => `sha256:${sha256(layer)}`) },
    }),
  });
  const blobs = join(folder, "blobs", "sha256");
  await mkdir(blobs, { recursive: true });
  for (const { digest, bytes } of [...image.blobs, image]) {
    await writeFile(join(blobs, digest.slice("sha256:".length)), bytes);
  }
  const annotations = { "org.opencontainers.image.ref.name": tag };
  await writeFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  await writeFile(
    join(folder, "index.json"),
    JSON.stringify({ schemaVersion: 2, manifests: [{ ...image.descriptor, annotations }] }),
  );
}

function layerOf(path: string, size: number): Buffer {
  const content = randomBytes(size);
  return Buffer.concat([buildTarEntry({ path, content }), Buffer.alloc(1024)]);
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
