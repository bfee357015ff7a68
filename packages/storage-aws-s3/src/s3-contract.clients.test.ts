import {
  blobStoreContract,
  FAULT_LIMITS,
  objectStoreContract,
  objectStoreFaults,
  prefixContract,
  startFaultProxy,
} from "@sealhouse/storage-providers/testing";
import { afterAll, describe, test } from "vitest";
import { hasRadosgw, startRadosgw } from "./testing/radosgw.ts";
import { openStore } from "./testing/s3-store.ts";

const isInstalled = hasRadosgw("no S3 server has run the contract of object stores");
const radosgw = isInstalled ? await startRadosgw() : undefined;
afterAll(() => radosgw?.[Symbol.asyncDispose]());

describe.skipIf(!radosgw).each([
  ["in the whole bucket", {}, [...objectStoreContract, ...blobStoreContract]],
  ["below a prefix", { Storage__Prefix: "/feeds/acme/" }, prefixContract],
])("a store %s", (_case, settings, contract) => {
  test.each(contract.map(({ name, run }) => [name, run]))("%s", async (_name, run) => {
    if (!radosgw) return;
    const bucket = await radosgw.createBucket();
    await using store = await openStore({ ...radosgw.settingsFor(bucket), ...settings });
    await run(store);
  });
});

test.skipIf(!radosgw).each(objectStoreFaults.map(({ name, run }) => [name, run]))(
  "it %s",
  async (_name, run) => {
    if (!radosgw) return;
    await using proxy = await startFaultProxy(radosgw.url);
    const settings = radosgw.settingsFor(await radosgw.createBucket(), proxy.url);
    await using store = await openStore(settings, { limits: FAULT_LIMITS });
    await run({ store, proxy });
  },
);
