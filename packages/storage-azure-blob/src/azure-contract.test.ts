import {
  blobStoreContract,
  objectStoreContract,
  prefixContract,
} from "@sealhouse/storage-providers/testing";
import { afterAll, describe, test } from "vitest";
import { openStore } from "./testing/azure-store.ts";
import { startAzurite } from "./testing/azurite.ts";

const azurite = await startAzurite();
afterAll(() => azurite[Symbol.asyncDispose]());

describe.each([
  ["in the whole container", {}, [...objectStoreContract, ...blobStoreContract]],
  ["below a prefix", { Storage__Prefix: "/feeds/acme/" }, prefixContract],
])("a store %s", (_case, settings, contract) => {
  test.each(contract.map(({ name, run }) => [name, run]))("%s", async (_name, run) => {
    const container = await azurite.createContainer();
    await using store = await openStore({ ...azurite.settingsFor(container), ...settings });
    await run(store);
  });
});
