import { parseManifest, parseRepositoryName } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { expect } from "vitest";
import type { ConsolePagesOptions } from "./pages.test.support.ts";
import { caller, openConsolePages } from "./pages.test.support.ts";

/** The pages of a registry that images can be pushed to. */
export async function openPages(options: ConsolePagesOptions = {}) {
  const pages = await openConsolePages("oci", options);
  const { database, files } = pages;
  return {
    ...pages,
    push: async (image: TestManifest, tags: readonly string[] = [], into = "acme/app") => {
      const repository = parseRepositoryName(into);
      for (const { digest, bytes } of image.blobs) {
        await using staged = await files.stage(chunksOf(bytes));
        const { key, size } = await staged.keep();
        await database.oci.blobs.link(repository, { digest, key, size });
      }
      const { digest, bytes, mediaType } = image;
      const { kind: _, ...parsed } = parseManifest(bytes, mediaType);
      const manifest = { ...parsed, repository, digest, bytes, tags };
      const outcome = await database.oci.manifests.record(manifest, caller);
      expect(outcome).toEqual({ status: "recorded" });
      return image;
    },
  };
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const CONFIG = {
  os: "linux",
  architecture: "arm64",
  variant: "v8",
  created: "2026-02-27T12:00:00Z",
  config: {
    User: "app",
    Entrypoint: ["/app", "--serve now"],
    Cmd: ["--port", "80"],
    Env: ["PATH=/bin", "SECRET=<b>"],
    ExposedPorts: { "80/tcp": {} },
    Labels: { source: "https://github.com/acme/app", bad: "javascript:alert(1)" },
  },
  history: [
    { created_by: "/bin/sh -c #(nop) ADD file:1 in / " },
    { created_by: "ENV A=1", empty_layer: true },
    { created_by: "/bin/sh -c make all" },
  ],
};

export const image = buildImage({
  layers: ["first layer", "second"],
  config: JSON.stringify(CONFIG),
  annotations: { "org.opencontainers.image.title": "<script>alert(1)</script>" },
});
