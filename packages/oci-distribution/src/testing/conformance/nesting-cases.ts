import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { buildImage, buildIndex } from "../build-image.ts";
import type { TestManifest } from "../build-image.ts";
import type { ConformanceCase } from "./conversation.ts";
import { bytesOf, expectAnswer, pushImage, putManifest } from "./conversation.ts";

const CHILDREN = 10_000;

export const nestingCases: readonly ConformanceCase[] = [
  {
    name: "takes indexes eight deep, and refuses the ninth",
    covers: "H39",
    async run(registry) {
      const repository = registry.repository();
      let child: TestManifest = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, child);
      for (let depth = 1; depth <= 8; depth += 1) {
        child = buildIndex([child]);
        await pushImage(registry, repository, child, `depth-${depth}`);
      }
      const response = await putManifest(registry, repository, buildIndex([child]), "depth-9");
      await expectAnswer(response, 400, "MANIFEST_INVALID");
      const absent = await registry.send(`/v2/${repository}/manifests/depth-9`);
      await expectAnswer(absent, 404, "MANIFEST_UNKNOWN");
    },
  },
  {
    name: "takes an index that names ten thousand children, and indexes that share theirs",
    covers: "H39",
    async run(registry) {
      const repository = registry.repository();
      const images = ["a", "b"].map(() => buildImage({ layers: [randomBytes(20)] }));
      for (const image of images) await pushImage(registry, repository, image);
      const descriptors = Array.from({ length: CHILDREN }, (_, n) => ({
        ...images[n % 2]?.descriptor,
        annotations: { n: String(n) },
      }));
      const wide = buildIndex([], { fields: { manifests: descriptors } });
      await pushImage(registry, repository, wide, "wide");
      const response = await registry.send(`/v2/${repository}/manifests/wide`);
      assert.equal((await bytesOf(response)).length, wide.bytes.length);
      // Each level names both of the level below: twice as many ways at every step.
      let level: readonly TestManifest[] = images;
      for (let depth = 1; depth <= 8; depth += 1) {
        level = ["x", "y"].map((name) => buildIndex(level, { annotations: { name } }));
        for (const index of level) await pushImage(registry, repository, index, `deep-${depth}`);
      }
    },
  },
];
