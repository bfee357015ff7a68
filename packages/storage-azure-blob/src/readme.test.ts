import { join } from "node:path";
import { runReadmeExample } from "@sealhouse/storage-providers/testing";
import { expect, test } from "vitest";
import { startAzurite } from "./testing/azurite.ts";

test("the README's example stores a blob", async () => {
  await using azurite = await startAzurite();
  const container = await azurite.createContainer();
  const settings = azurite.settingsFor(container);
  const output = await runReadmeExample(join(import.meta.dirname, ".."), {
    CONTAINER: container,
    AZURE_STORAGE_CONNECTION_STRING:
      `DefaultEndpointsProtocol=http;BlobEndpoint=${settings["Storage__ServiceUrl"]};` +
      `AccountName=${settings["Storage__AccountName"]};` +
      `AccountKey=${settings["Storage__AccessKey"]}`,
  });
  expect(output).toBe("1000000 1b977e9f\n");
});
