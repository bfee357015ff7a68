import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListMultipartUploadsCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { parseObjectKey } from "@sealhouse/storage-providers";
import {
  bytes,
  FAULT_LIMITS,
  keysIn,
  measureBodyMemory,
  noise,
  runReadmeExample,
  sha256Of,
  startFaultProxy,
  textOf,
} from "@sealhouse/storage-providers/testing";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { startInstanceMetadata } from "./testing/instance-stand-in.ts";
import { ACCESS_KEY, hasRadosgw, ROLE_ARN, SECRET_KEY, startRadosgw } from "./testing/radosgw.ts";
import { openStore } from "./testing/s3-store.ts";

const KEY = parseObjectKey("a/b");
const MIB = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;
const SECOND_MS = 1000;

const isInstalled = hasRadosgw("no S3 server has run the tests of the S3 store");
const started = isInstalled ? await startRadosgw() : undefined;
afterAll(() => started?.[Symbol.asyncDispose]());
afterEach(() => vi.unstubAllEnvs());

describe.skipIf(!started)("on radosgw", () => {
  const radosgw = started ?? expect.unreachable();

  test("a presigned URL gives access to its object, and to no other", async () => {
    await using store = await openStore(radosgw.settingsFor(await radosgw.createBucket()));
    await store.write(KEY, bytes("content"), { existing: "replace" });
    await store.write(parseObjectKey("a/c"), bytes("other"), { existing: "replace" });
    const url = (await store.presign?.(KEY, { expiresInMs: HOUR_MS })) ?? "";
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([200, "content"]);
    const part = await fetch(url, { headers: { range: "bytes=1-2" } });
    expect([part.status, await part.text()]).toEqual([206, "on"]);
    expect((await fetch(url.replace("/a/b?", "/a/c?"))).status).toBe(403);
  });

  test("a presigned URL expires", async () => {
    await using store = await openStore(radosgw.settingsFor(await radosgw.createBucket()));
    await store.write(KEY, bytes("content"), { existing: "replace" });
    const url = (await store.presign?.(KEY, { expiresInMs: SECOND_MS })) ?? "";
    await new Promise((resolve) => setTimeout(resolve, 2.1 * SECOND_MS));
    expect((await fetch(url)).status).toBe(403);
  });

  test("a connection string opens the store", async () => {
    const bucket = await radosgw.createBucket();
    const [secret, endpoint] = [SECRET_KEY, radosgw.url].map(encodeURIComponent);
    const text = `s3://${ACCESS_KEY}:${secret}@${bucket}?endpoint=${endpoint}&forcePathStyle=true`;
    await using store = await openStore({ Storage__ConnectionString: text });
    await store.write(KEY, bytes("x"), { existing: "keep" });
    expect(await textOf(store.bytes(KEY))).toBe("x");
  });

  test("a role opens the store with its session", async () => {
    const settings = {
      ...radosgw.settingsFor(await radosgw.createBucket()),
      Storage__AssumeRoleArn: ROLE_ARN,
      Storage__StsServiceUrl: radosgw.url,
    };
    await using store = await openStore(settings);
    await store.write(KEY, noise(20 * MIB), { existing: "replace" });
    expect(await sha256Of(store.bytes(KEY))).toBe(await sha256Of(noise(20 * MIB)));
    const url = (await store.presign?.(KEY, { expiresInMs: HOUR_MS })) ?? "";
    expect(new URL(url).searchParams.get("X-Amz-Security-Token")).toBeTruthy();
  });

  test.each(["instance", "container"] as const)(
    "the role of the machine opens the store, from the service of the %s",
    async (service) => {
      await using metadata = await startInstanceMetadata(radosgw.url);
      for (const [name, text] of Object.entries(metadata[service])) vi.stubEnv(name, text);
      // The settings must win over the environment.
      vi.stubEnv("AWS_ACCESS_KEY_ID", "another");
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", "another");
      const {
        Storage__AccessKey: _,
        Storage__SecretKey: __,
        ...settings
      } = radosgw.settingsFor(await radosgw.createBucket());
      await using store = await openStore({ ...settings, Storage__UseInstanceProfile: "true" });
      await store.write(KEY, bytes("x"), { existing: "keep" });
      expect(await textOf(store.bytes(KEY))).toBe("x");
      expect(metadata.paths.length).toBeGreaterThan(0);
    },
  );

  test("a profile opens the store", async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "aws-profile-"));
    const file = join(folder.path, "credentials");
    const lines = [`aws_access_key_id=${ACCESS_KEY}`, `aws_secret_access_key=${SECRET_KEY}`];
    await writeFile(file, `[registry]\n${lines.join("\n")}\n`);
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", file);
    const {
      Storage__AccessKey: _,
      Storage__SecretKey: __,
      ...settings
    } = radosgw.settingsFor(await radosgw.createBucket());
    await using store = await openStore({ ...settings, Storage__Profile: "registry" });
    await store.write(KEY, bytes("x"), { existing: "keep" });
    await expect(openStore({ ...settings, Storage__Profile: "other" })).rejects.toMatchObject({
      code: "storage-setting-invalid",
      key: "Storage__Profile",
    });
  });

  test.each([
    [{ Storage__Bucket: "missing" }, "Storage__Bucket", /there is no bucket "missing"/],
    [{ Storage__SecretKey: "another" }, "Storage__AccessKey", /S3 refuses these credentials/],
    [{ Storage__AccessKey: "another" }, "Storage__AccessKey", /S3 refuses these credentials/],
    [
      { Storage__AssumeRoleArn: "arn:aws:iam:::role/other" },
      "Storage__AssumeRoleArn",
      /check Storage__AssumeRoleArn and Storage__AccessKey/,
    ],
  ])("opening with %j names the setting", async (changed, key, words) => {
    const settings = {
      ...radosgw.settingsFor(await radosgw.createBucket()),
      ...("Storage__AssumeRoleArn" in changed && { Storage__StsServiceUrl: radosgw.url }),
      ...changed,
    };
    const failing = openStore(settings);
    await expect(failing).rejects.toMatchObject({
      code: "storage-setting-invalid",
      key,
      message: expect.stringMatching(words),
    });
    await expect(failing).rejects.not.toThrow(SECRET_KEY);
  });

  test("opening a bucket of another region names the region", async () => {
    await using proxy = await startFaultProxy(radosgw.url);
    const settings = radosgw.settingsFor(await radosgw.createBucket(), proxy.url);
    proxy.faultOf = () => ({
      type: "answer",
      status: 301,
      headers: { "x-amz-bucket-region": "eu-central-1" },
      body: "<Error><Code>PermanentRedirect</Code><Message>Use another.</Message></Error>",
    });
    await expect(openStore(settings)).rejects.toMatchObject({
      key: "Storage__Region",
      message: expect.stringContaining("is in the region eu-central-1, not in us-east-1"),
    });
  });

  test("opening while the service is away reports it as unavailable", async () => {
    const values = radosgw.settingsFor("packages", "http://127.0.0.1:9");
    await expect(openStore(values, { limits: FAULT_LIMITS })).rejects.toMatchObject({
      code: "storage-unavailable",
      message: expect.stringMatching(
        /cannot list the bucket packages: .*ECONNREFUSED.*check Storage__ServiceUrl/,
      ),
    });
  });

  test.each([
    ["200", "which ignores the condition of a write"],
    ["501", "which does not know conditions of a write"],
  ])("opening a store that answers %s, %s, fails", async (status) => {
    await using proxy = await startFaultProxy(radosgw.url);
    const settings = radosgw.settingsFor(await radosgw.createBucket(), proxy.url);
    proxy.faultOf = ({ method }) =>
      method === "PUT" ? { type: "answer", status: Number(status) } : undefined;
    await expect(openStore(settings)).rejects.toMatchObject({
      key: "Storage__ServiceUrl",
      message: expect.stringMatching(/If-None-Match/),
    });
  });

  test.each([
    [403, "AccessDenied", "storage-unavailable", /check Storage__AccessKey, Storage__SecretKey/],
    [400, "ExpiredToken", "storage-unavailable", /check Storage__AccessKey/],
    [403, "RequestTimeTooSkewed", "storage-unavailable", /the clock of this machine/],
    [403, "InvalidObjectState", "storage-unavailable", /archive class/],
    [404, "NoSuchBucket", "storage-unavailable", /check Storage__Bucket/],
    [403, "QuotaExceeded", "storage-full", /no space left/],
    [507, "XMinioStorageFull", "storage-full", /no space left/],
    [400, "InvalidRequest", "storage-unavailable", /S3 answered 400 InvalidRequest/],
  ])("an answer %i %s is an error of the code %s", async (status, code, expected, words) => {
    await using proxy = await startFaultProxy(radosgw.url);
    const settings = radosgw.settingsFor(await radosgw.createBucket(), proxy.url);
    await using store = await openStore(settings, { limits: FAULT_LIMITS });
    const body = `<Error><Code>${code}</Code><Message>words</Message></Error>`;
    proxy.faultOf = () => ({ type: "answer", status, body });
    const first = proxy.requests.length;
    const writing = store.write(KEY, bytes("x"), { existing: "replace" });
    await expect(writing).rejects.toMatchObject({
      code: expected,
      message: expect.stringMatching(words),
    });
    expect(proxy.requests.length - first).toBe(1);
    await expect(writing).rejects.not.toThrow(SECRET_KEY);
  });

  test.each([
    [503, "SlowDown"],
    [400, "RequestTimeout"],
    [409, "ConditionalRequestConflict"],
    [409, "OperationAborted"],
  ])("a write succeeds after one answer %i %s", async (status, code) => {
    await using proxy = await startFaultProxy(radosgw.url);
    const settings = radosgw.settingsFor(await radosgw.createBucket(), proxy.url);
    await using store = await openStore(settings, { limits: FAULT_LIMITS });
    let answers = 0;
    const body = `<Error><Code>${code}</Code><Message>words</Message></Error>`;
    proxy.faultOf = () => (answers++ === 0 ? { type: "answer", status, body } : undefined);
    const outcome = await store.write(KEY, bytes("x"), { existing: "keep" });
    expect(outcome).toEqual({ status: "written", size: 1 });
  });

  /** Leaves parts without an object, as a process that was killed before the completion. */
  async function leaveParts(bucket: string, key: string): Promise<void> {
    await using proxy = await startFaultProxy(radosgw.url);
    await using store = await openStore(radosgw.settingsFor(bucket, proxy.url), {
      limits: FAULT_LIMITS,
    });
    proxy.faultOf = ({ method, url }) =>
      method === "DELETE" || (method === "POST" && url.includes("uploadId="))
        ? { type: "reset" }
        : undefined;
    const writing = store.write(parseObjectKey(key), noise(20 * MIB), { existing: "replace" });
    await expect(writing).rejects.toMatchObject({ code: "storage-unavailable" });
  }

  test("`unfinished` lists and removes the parts of a killed process", async () => {
    const bucket = await radosgw.createBucket();
    const key = "oci/blobs/streamed/0123456789abcdef.0";
    const began = Math.floor(Date.now() / SECOND_MS) * SECOND_MS;
    await leaveParts(bucket, key);
    await using store = await openStore(radosgw.settingsFor(bucket));
    await store.write(KEY, bytes("x"), { existing: "replace" });
    const [write, ...others] = await Array.fromAsync(store.unfinished?.list() ?? []);
    expect(others).toEqual([]);
    expect(write).toMatchObject({ name: expect.stringContaining(`${key}?`), size: 20 * MIB });
    expect(write?.modifiedAt.getTime()).toBeGreaterThanOrEqual(began);
    expect(write?.modifiedAt.getTime()).toBeLessThanOrEqual(Date.now());
    await store.unfinished?.delete(write?.name ?? "");
    await store.unfinished?.delete(write?.name ?? "");
    await store.unfinished?.delete("oci/blobs/streamed/nothing.0");
    expect(await Array.fromAsync(store.unfinished?.list() ?? [])).toEqual([]);
    expect(await keysIn(store)).toEqual(["a/b"]);
  });

  test("a failed write leaves no parts", async () => {
    const bucket = await radosgw.createBucket();
    await using store = await openStore(radosgw.settingsFor(bucket));
    const writing = store.write(KEY, noise(20 * MIB), { existing: "replace", maxBytes: 18 * MIB });
    await expect(writing).rejects.toMatchObject({ code: "storage-too-large" });
    const { Uploads } = await radosgw.client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket }),
    );
    expect(Uploads).toBeUndefined();
  });

  test("an upload is complete when the answer to its completion was lost", async () => {
    await using proxy = await startFaultProxy(radosgw.url);
    const settings = radosgw.settingsFor(await radosgw.createBucket(), proxy.url);
    await using store = await openStore(settings, { limits: FAULT_LIMITS });
    let completions = 0;
    proxy.faultOf = ({ method, url }) =>
      method === "POST" && url.includes("uploadId=") && completions++ === 0
        ? { type: "lost-answer" }
        : undefined;
    const outcome = await store.write(KEY, noise(20 * MIB), { existing: "replace" });
    expect(outcome).toEqual({ status: "written", size: 20 * MIB });
    expect(completions).toBe(2);
    expect(await sha256Of(store.bytes(KEY))).toBe(await sha256Of(noise(20 * MIB)));
  });

  test("a large object moves in parts", async () => {
    const settings = radosgw.settingsFor(await radosgw.createBucket());
    await using store = await openStore(settings, { limits: { copyBytes: 8 * MIB } });
    await store.write(KEY, noise(20 * MIB), { existing: "replace" });
    const to = parseObjectKey("moved/@scope+1~2:3");
    await store.move(KEY, to);
    expect(await sha256Of(store.bytes(to))).toBe(await sha256Of(noise(20 * MIB)));
    expect(await keysIn(store)).toEqual([to]);
  });

  test("a list has several pages", async () => {
    const bucket = await radosgw.createBucket();
    await using store = await openStore(radosgw.settingsFor(bucket));
    const names = Array.from({ length: 1200 }, (_, index) => `x/${String(index).padStart(4, "0")}`);
    const put = (Key: string) =>
      radosgw.client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Buffer.alloc(0) }));
    await Promise.all(names.map(put));
    expect(await keysIn(store)).toEqual(names);
  });

  test("a list omits objects of other programs", async () => {
    const bucket = await radosgw.createBucket();
    for (const Key of ["feeds/acme/.hidden", "feeds/acme2/x", "other", "feeds/acme/ü"]) {
      await radosgw.client.send(
        new PutObjectCommand({ Bucket: bucket, Key, Body: Buffer.alloc(0) }),
      );
    }
    const settings = { ...radosgw.settingsFor(bucket), Storage__Prefix: "feeds/acme" };
    await using store = await openStore(settings);
    await store.write(KEY, bytes("x"), { existing: "replace" });
    expect(await keysIn(store)).toEqual(["a/b"]);
  });

  test("a keep-write takes no more than 16 MiB", async () => {
    await using store = await openStore(radosgw.settingsFor(await radosgw.createBucket()));
    const writing = store.write(KEY, noise(16 * MIB + 1), { existing: "keep" });
    await expect(writing).rejects.toMatchObject({ code: "storage-too-large" });
    expect(await keysIn(store)).toEqual([]);
  });

  test("a body of 192 MiB takes less than 64 MiB of memory, written and read", async () => {
    const memory = await measureBodyMemory({
      module: new URL("index.ts", import.meta.url).href,
      type: "AwsS3",
      values: radosgw.settingsFor(await radosgw.createBucket()),
      bytes: 192 * MIB,
    });
    expect(memory.isSame).toBe(true);
    expect((memory.writePeakBytes - memory.restBytes) / MIB).toBeLessThan(64);
    expect((memory.readPeakBytes - memory.restBytes) / MIB).toBeLessThan(64);
  }, 120_000);

  test("the README's example stores a blob", async () => {
    const bucket = await radosgw.createBucket();
    const settings = radosgw.settingsFor(bucket);
    const output = await runReadmeExample(join(import.meta.dirname, ".."), {
      S3_BUCKET: bucket,
      S3_ENDPOINT: settings["Storage__ServiceUrl"],
      AWS_ACCESS_KEY_ID: settings["Storage__AccessKey"],
      AWS_SECRET_ACCESS_KEY: settings["Storage__SecretKey"],
    });
    expect(output).toBe("1000000 1b977e9f\n");
  });
});
