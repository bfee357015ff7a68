import { measureBodyMemory } from "@sealhouse/storage-providers/testing";
import { expect, test } from "vitest";
import { startGoogleStorage } from "./testing/google-storage-stand-in.ts";
import { settingsFor } from "./testing/google-store.ts";

const MIB = 1024 * 1024;

test("a body of 192 MiB takes less than 64 MiB of memory, written and read", async () => {
  await using service = await startGoogleStorage();
  const memory = await measureBodyMemory({
    module: new URL("index.ts", import.meta.url).href,
    type: "Gcs",
    values: settingsFor(service.url),
    bytes: 192 * MIB,
  });
  expect(memory.isSame).toBe(true);
  expect((memory.writePeakBytes - memory.restBytes) / MIB).toBeLessThan(64);
  expect((memory.readPeakBytes - memory.restBytes) / MIB).toBeLessThan(64);
}, 120_000);
