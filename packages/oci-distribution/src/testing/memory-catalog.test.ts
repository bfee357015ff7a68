import { expect, test } from "vitest";
import { ociPortsContract } from "./contract/oci-ports-contract.ts";
import { createMemoryCatalog } from "./memory-catalog.ts";
import { createMemoryUploads } from "./memory-uploads.ts";

test.each(ociPortsContract)("the catalog in memory $name", async ({ run }) => {
  await expect(
    run({ ...createMemoryCatalog(), uploads: createMemoryUploads() }),
  ).resolves.toBeUndefined();
});
