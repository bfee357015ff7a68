import { measureBodyMemory } from "@sealhouse/storage-providers/testing";
import { expect, test } from "vitest";
import { startAzurite } from "./testing/azurite.ts";

const MIB = 1024 * 1024;

test("a body of 192 MiB takes less than 64 MiB of memory, written and read", async () => {
  await using azurite = await startAzurite();
  const memory = await measureBodyMemory({
    module: new URL("index.ts", import.meta.url).href,
    type: "AzureBlobStorage",
    values: azurite.settingsFor(await azurite.createContainer()),
    bytes: 192 * MIB,
  });
  expect(memory.isSame).toBe(true);
  expect((memory.writePeakBytes - memory.restBytes) / MIB).toBeLessThan(64);
  expect((memory.readPeakBytes - memory.restBytes) / MIB).toBeLessThan(64);
}, 120_000);
