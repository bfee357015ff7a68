import { Readable } from "node:stream";
import { parseOldPackageName, adoptVersion } from "@sealhouse/npm-protocol";
import { buildTarball, createMemoryNpmPorts } from "@sealhouse/npm-protocol/testing";
import { publish } from "@sealhouse/nuget-protocol/package";
import { buildNupkg, createMemoryNuGetPorts } from "@sealhouse/nuget-protocol/testing";
import { catalogTarget, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { createMemoryOciPorts, createMemoryTags } from "@sealhouse/oci-distribution/testing";
import { createHash } from "node:crypto";

export const caller = { actor: "tester" };
const PUBLISHED = new Date("2024-05-06T07:08:09.000Z");

/** A registry in memory, with what fills it. */
export function createRegistry() {
  const nuget = createMemoryNuGetPorts().ports;
  const npm = createMemoryNpmPorts();
  const oci = createMemoryOciPorts();
  const { manifests, tags } = createMemoryTags(oci.manifests);
  const images = { ...oci, manifests, tags };
  return {
    ports: { nuget, npm, oci: images },
    events: oci.events,
    async addNuGet(id: string, version: string, listed = true) {
      const bytes = buildNupkg({ id, version });
      const past = { listed, publishedAt: PUBLISHED, origin: "Mirrored" } as const;
      const allow = async () => undefined;
      const body = Readable.from([Buffer.from(bytes)]);
      await publish(nuget, { body, caller, now: new Date(), allow, past });
      return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    },
    async addNpm(name: string, version: string, tagNames: readonly string[] = []) {
      const bytes = buildTarball({ name, version });
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      const parsed = parseOldPackageName(name);
      if (!parsed) throw new Error(name);
      const foreign = {
        name: parsed,
        version,
        manifest: { name, version, dist: { integrity } },
        body: Readable.from([bytes]),
        publisher: "alice",
        publishedAt: PUBLISHED,
        tags: tagNames,
        readme: `# ${name}`,
      };
      await adoptVersion(npm, foreign, { caller, now: new Date(), tarballBytesMax: 1e6 });
      return integrity;
    },
    async addImage(repository: string, images_: readonly TestManifest[], tag?: string) {
      const target = catalogTarget(images, parseRepositoryName(repository), { caller });
      for (const image of images_) {
        for (const { digest, bytes } of image.blobs) {
          const read = () => Readable.from([Buffer.from(bytes)]);
          await target.putBlob({ digest, size: bytes.length, read }, {});
        }
        await target.putManifest(image, {});
      }
      const last = images_.at(-1);
      if (last && tag !== undefined) await target.putTag(tag, last, {});
    },
  };
}
