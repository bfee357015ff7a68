import { ContainerSASPermissions } from "@azure/storage-blob";
import { parseObjectKey } from "@sealhouse/storage-providers";
import {
  bytes,
  FAULT_LIMITS,
  keysIn,
  noise,
  sha256Of,
  startFaultProxy,
  textOf,
} from "@sealhouse/storage-providers/testing";
import { afterAll, expect, test } from "vitest";
import { openStore } from "./testing/azure-store.ts";
import { AZURITE_ACCOUNT, AZURITE_KEY, startAzurite } from "./testing/azurite.ts";

const azurite = await startAzurite();
afterAll(() => azurite[Symbol.asyncDispose]());

const KEY = parseObjectKey("a/b");
const MIB = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;

const connectionString = (blobEndpoint = azurite.url): string =>
  `DefaultEndpointsProtocol=http;AccountName=${AZURITE_ACCOUNT};AccountKey=${AZURITE_KEY};` +
  `BlobEndpoint=${blobEndpoint};`;

test("a presigned URL gives access to its blob, and to no other", async () => {
  const container = await azurite.createContainer();
  await using store = await openStore(azurite.settingsFor(container));
  await store.write(KEY, bytes("content"), { existing: "replace" });
  await store.write(parseObjectKey("a/c"), bytes("other"), { existing: "replace" });
  const url = await store.presign?.(KEY, { expiresInMs: HOUR_MS });
  const answer = await fetch(url ?? "");
  expect([answer.status, await answer.text()]).toEqual([200, "content"]);
  const other = await fetch((url ?? "").replace("/a/b?", "/a/c?"));
  expect(other.status).toBe(403);
  await other.body?.cancel();
});

test("a presigned URL expires", async () => {
  const container = await azurite.createContainer();
  await using store = await openStore(azurite.settingsFor(container));
  await store.write(KEY, bytes("content"), { existing: "replace" });
  const url = await store.presign?.(KEY, { expiresInMs: -HOUR_MS });
  const answer = await fetch(url ?? "");
  expect(answer.status).toBe(403);
  await answer.body?.cancel();
});

test("a connection string with a key opens the store", async () => {
  const container = await azurite.createContainer();
  const values = { Storage__ConnectionString: connectionString(), Storage__Container: container };
  await using store = await openStore(values);
  await store.write(KEY, bytes("x"), { existing: "keep" });
  expect(await textOf(store.bytes(KEY))).toBe("x");
  expect("presign" in store).toBe(true);
});

test("a store with a shared access signature has no presigned URLs", async () => {
  const container = await azurite.createContainer();
  const client = azurite.service.getContainerClient(container);
  const url = await client.generateSasUrl({
    permissions: ContainerSASPermissions.parse("racwdl"),
    expiresOn: new Date(Date.now() + HOUR_MS),
  });
  const signature = new URL(url).search.slice(1);
  const text = `BlobEndpoint=${azurite.url};SharedAccessSignature=${signature}`;
  const values = { Storage__ConnectionString: text, Storage__Container: container };
  await using store = await openStore(values);
  await store.write(KEY, noise(10 * MIB), { existing: "replace" });
  await store.move(KEY, parseObjectKey("moved"));
  expect(await keysIn(store)).toEqual(["moved"]);
  expect("presign" in store).toBe(false);
});

test.each([
  [
    { Storage__ConnectionString: "UseSomething=true" },
    "Storage__ConnectionString",
    /is not a connection string/,
  ],
  [
    { Storage__ConnectionString: connectionString().replace(AZURITE_KEY, "b3RoZXI=") },
    "Storage__ConnectionString",
    /refuses these credentials/,
  ],
])("opening with a wrong connection string names the setting", async (values, key, words) => {
  const failing = openStore({ ...values, Storage__Container: await azurite.createContainer() });
  await expect(failing).rejects.toMatchObject({
    code: "storage-setting-invalid",
    key,
    message: expect.stringMatching(words),
  });
  await expect(failing).rejects.not.toThrow(/b3RoZXI=|Eby8vdM/);
});

test("opening while the service is away reports it as unavailable", async () => {
  const values = azurite.settingsFor("packages", `http://127.0.0.1:9/${AZURITE_ACCOUNT}`);
  await expect(openStore(values, { limits: FAULT_LIMITS })).rejects.toMatchObject({
    code: "storage-unavailable",
    message: expect.stringMatching(
      /cannot list the container packages: .*cannot be reached.*check Storage__ServiceUrl/,
    ),
  });
});

test.each([
  [
    403,
    "AuthenticationFailed",
    "storage-unavailable",
    /check Storage__AccountName and Storage__AccessKey/,
  ],
  [404, "ContainerNotFound", "storage-unavailable", /check Storage__Container/],
  [507, "InsufficientStorage", "storage-full", /no space left/],
  [409, "BlobImmutableDueToPolicy", "storage-read-only", /a policy of the container/],
])("an answer %i %s is an error of the code %s", async (status, code, expected, words) => {
  await using proxy = await startFaultProxy(new URL(azurite.url).origin);
  const container = await azurite.createContainer();
  const values = azurite.settingsFor(container, `${proxy.url}/${AZURITE_ACCOUNT}`);
  await using store = await openStore(values, { limits: FAULT_LIMITS });
  proxy.faultOf = () => ({ type: "answer", status, headers: { "x-ms-error-code": code } });
  const first = proxy.requests.length;
  const writing = store.write(KEY, bytes("x"), { existing: "replace" });
  await expect(writing).rejects.toMatchObject({
    code: expected,
    message: expect.stringMatching(words),
  });
  expect(proxy.requests.length - first).toBe(1);
  await expect(writing).rejects.not.toThrow(AZURITE_KEY);
});

/** Leaves blocks without a blob, as a process that was killed before the commit. */
async function leaveBlocks(container: string, key: string): Promise<void> {
  await using proxy = await startFaultProxy(new URL(azurite.url).origin);
  const values = azurite.settingsFor(container, `${proxy.url}/${AZURITE_ACCOUNT}`);
  await using store = await openStore(values, { limits: FAULT_LIMITS });
  proxy.faultOf = ({ url }) => (/comp=block(?:&|$)/.test(url) ? undefined : { type: "reset" });
  const writing = store.write(parseObjectKey(key), noise(20 * MIB), { existing: "replace" });
  await expect(writing).rejects.toMatchObject({ code: "storage-unavailable" });
}

test("`unfinished` lists and removes the blocks of a killed process", async () => {
  const container = await azurite.createContainer();
  const began = Date.now();
  await leaveBlocks(container, "oci/blobs/streamed/0123456789abcdef.0");
  await using store = await openStore(azurite.settingsFor(container));
  await store.write(KEY, bytes("x"), { existing: "replace" });
  await store.write(parseObjectKey("empty"), bytes(), { existing: "replace" });
  const [write, ...others] = await Array.fromAsync(store.unfinished?.list() ?? []);
  expect(others).toEqual([]);
  expect(write).toMatchObject({ name: "oci/blobs/streamed/0123456789abcdef.0", size: 20 * MIB });
  expect(write?.modifiedAt.getTime()).toBeGreaterThanOrEqual(began);
  expect(write?.modifiedAt.getTime()).toBeLessThanOrEqual(Date.now());
  await store.unfinished?.delete(write?.name ?? "");
  await store.unfinished?.delete("oci/blobs/streamed/nothing.0");
  expect(await Array.fromAsync(store.unfinished?.list() ?? [])).toEqual([]);
  expect(await keysIn(store)).toEqual(["a/b", "empty"]);
});

test("removing blocks leaves a blob with a later commit", async () => {
  const container = await azurite.createContainer();
  await leaveBlocks(container, KEY);
  await using store = await openStore(azurite.settingsFor(container));
  await store.write(KEY, bytes("new"), { existing: "replace" });
  await store.unfinished?.delete(KEY);
  expect(await textOf(store.bytes(KEY))).toBe("new");
});

test("of two large writes to one key both end, and one of them stays whole", async () => {
  const container = await azurite.createContainer();
  await using store = await openStore(azurite.settingsFor(container));
  const seeds = [1, 2, 3];
  const outcomes = await Promise.all(
    seeds.map((seed) => store.write(KEY, noise(20 * MIB, seed), { existing: "replace" })),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(["written", "written", "written"]);
  const possible = await Promise.all(seeds.map((seed) => sha256Of(noise(20 * MIB, seed))));
  expect(possible).toContain(await sha256Of(store.bytes(KEY)));
});

test("a list has several pages", async () => {
  const container = await azurite.createContainer();
  await using store = await openStore(azurite.settingsFor(container));
  const client = azurite.service.getContainerClient(container);
  const names = Array.from({ length: 1200 }, (_, index) => `x/${String(index).padStart(4, "0")}`);
  await Promise.all(names.map((name) => client.getBlockBlobClient(name).upload("", 0)));
  expect(await keysIn(store)).toEqual(names);
});

test("a list omits blobs of other programs", async () => {
  const container = await azurite.createContainer();
  const client = azurite.service.getContainerClient(container);
  for (const name of ["feeds/acme/.hidden", "feeds/acme2/x", "other", "feeds/acme/ü"]) {
    await client.getBlockBlobClient(name).upload("", 0);
  }
  const settings = { ...azurite.settingsFor(container), Storage__Prefix: "feeds/acme" };
  await using store = await openStore(settings);
  await store.write(KEY, bytes("x"), { existing: "replace" });
  expect(await keysIn(store)).toEqual(["a/b"]);
});

test("a keep-write takes no more than 16 MiB", async () => {
  const container = await azurite.createContainer();
  await using store = await openStore(azurite.settingsFor(container));
  const writing = store.write(KEY, noise(16 * MIB + 1), { existing: "keep" });
  await expect(writing).rejects.toMatchObject({ code: "storage-too-large" });
  expect(await keysIn(store)).toEqual([]);
});
