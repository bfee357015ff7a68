import {
  FAULT_LIMITS,
  objectStoreFaults,
  startFaultProxy,
} from "@sealhouse/storage-providers/testing";
import { test } from "vitest";
import { startGoogleStorage } from "./testing/google-storage-stand-in.ts";
import { openStore, settingsFor } from "./testing/google-store.ts";

test.each(objectStoreFaults.map(({ name, run }) => [name, run]))("it %s", async (_name, run) => {
  await using service = await startGoogleStorage();
  await using proxy = await startFaultProxy(service.url);
  await using store = await openStore(settingsFor(proxy.url), { limits: FAULT_LIMITS });
  await run({ store, proxy });
});
