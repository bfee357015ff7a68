import { expect, test } from "vitest";
import { contractImmutableTags, ociTagsContract } from "./contract/tag-cases.ts";
import { createMemoryCatalog } from "./memory-catalog.ts";
import { createMemoryTags } from "./memory-tags.ts";
import { createMemoryUploads } from "./memory-uploads.ts";

test.each(ociTagsContract)("the catalog in memory $name", async ({ run }) => {
  const { blobs, manifests } = createMemoryCatalog();
  const ruled = createMemoryTags(manifests, { immutable: contractImmutableTags });
  const ports = { blobs, uploads: createMemoryUploads(), ...ruled };
  await expect(run(ports)).resolves.toBeUndefined();
});
