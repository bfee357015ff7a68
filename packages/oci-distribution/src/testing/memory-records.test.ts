import { expect, test } from "vitest";
import { ociRecordsContract } from "./contract/record-cases.ts";
import { createMemoryCatalog } from "./memory-catalog.ts";
import { createMemoryUploads } from "./memory-uploads.ts";

test.each(ociRecordsContract)("the catalog in memory $name", async ({ run }) => {
  let ms = 0;
  const catalog = createMemoryCatalog({ now: () => (ms += 1000) });
  await expect(run({ ...catalog, uploads: createMemoryUploads() })).resolves.toBeUndefined();
});
