import { join } from "node:path";
import { runReadmeExample } from "@sealhouse/storage-providers/testing";
import { expect, test } from "vitest";
import { startGoogleStorage } from "./testing/google-storage-stand-in.ts";
import { settingsFor } from "./testing/google-store.ts";

test("the README's example stores a blob", async () => {
  await using service = await startGoogleStorage();
  const output = await runReadmeExample(join(import.meta.dirname, ".."), {
    BUCKET: settingsFor(service.url)["Storage__Bucket"],
    STORAGE_EMULATOR_HOST: service.url,
  });
  expect(output).toBe("1000000 1b977e9f\n");
});
