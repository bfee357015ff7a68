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
import { expect, test } from "vitest";
import { startGoogleStorage } from "./testing/google-storage-stand-in.ts";
import { openStore, settingsFor } from "./testing/google-store.ts";

const KEY = parseObjectKey("a/b");
const MIB = 1024 * 1024;

test("a large body is a resumable upload in parts of 8 MiB", async () => {
  await using service = await startGoogleStorage();
  await using store = await openStore(settingsFor(service.url));
  const first = service.requests.length;
  await store.write(KEY, noise(20 * MIB), { existing: "replace" });
  const methods = service.requests.slice(first).map((request) => request.split(" ")[0]);
  expect(methods).toEqual(["POST", "PUT", "PUT", "PUT"]);
});

test.each([8 * MIB, 16 * MIB])("a body of %i bytes ends with a whole part", async (size) => {
  await using service = await startGoogleStorage();
  await using store = await openStore(settingsFor(service.url));
  const outcome = await store.write(KEY, noise(size), { existing: "replace" });
  expect(outcome).toEqual({ status: "written", size });
  expect(await sha256Of(store.bytes(KEY))).toBe(await sha256Of(noise(size)));
});

test("an upload sends only those bytes of a part again that Google did not store", async () => {
  await using service = await startGoogleStorage();
  service.state.storedAtOnce = 3 * MIB;
  await using store = await openStore(settingsFor(service.url), { limits: FAULT_LIMITS });
  await store.write(KEY, noise(12 * MIB), { existing: "replace" });
  expect(await sha256Of(store.bytes(KEY))).toBe(await sha256Of(noise(12 * MIB)));
});

test("a failed upload ends its session", async () => {
  await using service = await startGoogleStorage();
  await using store = await openStore(settingsFor(service.url));
  const body = (async function* () {
    yield* noise(10 * MIB);
    throw new Error("connection reset");
  })();
  await expect(store.write(KEY, body, { existing: "replace" })).rejects.toThrow("connection reset");
  expect(service.state.sessions.size).toBe(0);
  expect(await keysIn(store)).toEqual([]);
});

test("an upload whose session Google dropped fails", async () => {
  await using service = await startGoogleStorage();
  await using store = await openStore(settingsFor(service.url));
  const body = (async function* () {
    yield* noise(9 * MIB);
    service.state.sessions.clear();
    yield* noise(9 * MIB);
  })();
  await expect(store.write(KEY, body, { existing: "replace" })).rejects.toMatchObject({
    code: "storage-unavailable",
    message: "cannot write a/b: Google dropped the session",
  });
});

test("a move takes as many steps as Google asks for", async () => {
  await using service = await startGoogleStorage();
  service.state.copySteps = 3;
  await using store = await openStore(settingsFor(service.url));
  await store.write(KEY, bytes("moved"), { existing: "replace" });
  const first = service.requests.length;
  await store.move(KEY, parseObjectKey("to"));
  const copies = service.requests.slice(first).filter((request) => request.includes("/rewriteTo/"));
  expect(copies).toHaveLength(3);
  expect(await textOf(store.bytes(parseObjectKey("to")))).toBe("moved");
});

test("a list has several pages", async () => {
  await using service = await startGoogleStorage();
  const names = Array.from({ length: 2500 }, (_, index) => `x/${String(index).padStart(4, "0")}`);
  for (const name of names) {
    service.state.put("artifacts", { name, chunks: [], size: 0, metadata: {} });
  }
  await using store = await openStore(settingsFor(service.url));
  const first = service.requests.length;
  expect(await keysIn(store)).toEqual(names);
  expect(service.requests.length - first).toBe(3);
});

test("a list omits objects of other programs", async () => {
  await using service = await startGoogleStorage();
  for (const name of [
    "feeds/acme/.hidden",
    "feeds/acme2/x",
    "other",
    "feeds/acme/ü",
    "feeds/acme/",
  ]) {
    service.state.put("artifacts", { name, chunks: [], size: 0, metadata: {} });
  }
  const settings = { ...settingsFor(service.url), Storage__Prefix: "feeds/acme" };
  await using store = await openStore(settings);
  await store.write(KEY, bytes("x"), { existing: "replace" });
  expect(await keysIn(store)).toEqual(["a/b"]);
  expect(service.state.buckets.get("artifacts")?.has("feeds/acme/a/b")).toBe(true);
});

test("an emulator has no presigned URLs", async () => {
  await using service = await startGoogleStorage();
  await using store = await openStore(settingsFor(service.url));
  expect("presign" in store).toBe(false);
});

test("opening a bucket that does not exist names the setting", async () => {
  await using service = await startGoogleStorage();
  const opening = openStore({ ...settingsFor(service.url), Storage__Bucket: "missing" });
  await expect(opening).rejects.toMatchObject({
    code: "storage-setting-invalid",
    key: "Storage__Bucket",
    message: expect.stringContaining("gcloud storage buckets create gs://missing"),
  });
});

test("opening while the service is away reports it as unavailable", async () => {
  const opening = openStore(settingsFor("http://127.0.0.1:9"), { limits: FAULT_LIMITS });
  await expect(opening).rejects.toMatchObject({
    code: "storage-unavailable",
    message: expect.stringMatching(
      /cannot list the bucket artifacts: .*cannot be reached.*check Storage__EmulatorHost/,
    ),
  });
});

test.each([
  [401, "authError", "storage-unavailable", /check Storage__EmulatorHost/],
  [403, "forbidden", "storage-unavailable", /check Storage__EmulatorHost/],
  [403, "rateLimitExceeded", "storage-unavailable", /answered 403 rateLimitExceeded$/],
  [403, "quotaExceeded", "storage-full", /used up its quota/],
  [403, "retentionPolicyNotMet", "storage-read-only", /a policy of the bucket/],
])("an answer %i %s is an error of the code %s", async (status, reason, code, words) => {
  await using service = await startGoogleStorage();
  await using proxy = await startFaultProxy(service.url);
  await using store = await openStore(settingsFor(proxy.url), { limits: FAULT_LIMITS });
  const body = JSON.stringify({ error: { code: status, errors: [{ reason }] } });
  const headers = { "content-type": "application/json" };
  proxy.faultOf = () => ({ type: "answer", status, headers, body });
  const first = proxy.requests.length;
  const writing = store.write(KEY, bytes("x"), { existing: "replace" });
  await expect(writing).rejects.toMatchObject({ code, message: expect.stringMatching(words) });
  expect(proxy.requests.length - first).toBe(
    reason === "rateLimitExceeded" ? FAULT_LIMITS.attempts : 1,
  );
});

test("a keep-write takes no more than 16 MiB", async () => {
  await using service = await startGoogleStorage();
  await using store = await openStore(settingsFor(service.url));
  const writing = store.write(KEY, noise(16 * MIB + 1), { existing: "keep" });
  await expect(writing).rejects.toMatchObject({ code: "storage-too-large" });
  expect(await keysIn(store)).toEqual([]);
});
