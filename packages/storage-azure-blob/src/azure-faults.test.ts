import {
  FAULT_LIMITS,
  objectStoreFaults,
  startFaultProxy,
} from "@sealhouse/storage-providers/testing";
import { afterAll, test } from "vitest";
import { openStore } from "./testing/azure-store.ts";
import { AZURITE_ACCOUNT, startAzurite } from "./testing/azurite.ts";

const azurite = await startAzurite();
afterAll(() => azurite[Symbol.asyncDispose]());

test.each(objectStoreFaults.map(({ name, run }) => [name, run]))("it %s", async (_name, run) => {
  await using proxy = await startFaultProxy(new URL(azurite.url).origin);
  const settings = azurite.settingsFor(
    await azurite.createContainer(),
    `${proxy.url}/${AZURITE_ACCOUNT}`,
  );
  await using store = await openStore(settings, { limits: FAULT_LIMITS });
  await run({ store, proxy });
});
