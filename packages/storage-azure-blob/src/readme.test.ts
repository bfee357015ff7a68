import { join } from "node:path";
import { runReadmeExample } from "@sealhouse/storage-providers/testing";
import { expect, test } from "vitest";
import { startAzurite } from "./testing/azurite.ts";

test("the README's example stores a blob", async () => {
  await using azurite = await startAzurite();
  const settings = azurite.settingsFor(await azurite.createContainer());
  const output = await runReadmeExample(join(import.meta.dirname, ".."), settings);
  expect(output).toBe("1000000 1b977e9f\n");
});
