import {
  blobStoreContract,
  objectStoreContract,
  prefixContract,
} from "@sealhouse/storage-providers/testing";
import { describe, test } from "vitest";
import { openStore, settingsFor } from "./testing/google-store.ts";
import { startGoogleStorage } from "./testing/google-storage-stand-in.ts";

describe.each([
  ["in the whole bucket", {}, [...objectStoreContract, ...blobStoreContract]],
  ["below a prefix", { Storage__Prefix: "feeds/acme" }, prefixContract],
])("a store %s", (_case, settings, contract) => {
  test.each(contract.map(({ name, run }) => [name, run]))("%s", async (_name, run) => {
    await using service = await startGoogleStorage();
    await using store = await openStore({ ...settingsFor(service.url), ...settings });
    await run(store);
  });
});
