import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adoptStore, parseObjectKey, STORE_MARKER } from "@sealhouse/storage-providers";
import { openFilesystemStore } from "@sealhouse/storage-providers/filesystem";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Extension } from "../../src/extension.ts";
import { runInProcess } from "../../src/testing/index.ts";

let folder = "";
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "storage-copy-"))));
afterEach(() => rm(folder, { recursive: true }));

/** Runs the command; `data/packages` is the configured storage. */
function copy(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stop = new AbortController().signal,
) {
  const own = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: join(folder, "data") };
  return runInProcess(["storage", "copy", ...words], {
    folder,
    env: { ...own, ...env },
    extensions: [bucketExtension],
    stop,
  });
}

const buckets = new Map<string, ReturnType<typeof createMemoryStore>>();
const bucketExtension: Extension = {
  name: "buckets",
  storageTypes: {
    Bucket: {
      settings: {
        Storage__Bucket__Name: { kind: { type: "text" }, required: true, about: "Its name." },
        Storage__Bucket__Key: { kind: { type: "text" }, secret: true, about: "The key." },
        Storage__Bucket__KeyName: { kind: { type: "text" }, about: "Name of the key." },
      },
      async open(context) {
        const { values } = context;
        const keyName = values["Storage__Bucket__KeyName"] ?? "";
        const key = values["Storage__Bucket__Key"] ?? context.named(keyName);
        const bucket = `${values["Storage__Bucket__Name"]} ${key}`;
        const store = buckets.get(bucket) ?? createMemoryStore();
        buckets.set(bucket, store);
        return { ...store, async [Symbol.asyncDispose]() {} };
      },
    },
  },
};

const blobs = ["first", "second"].map((text) => {
  const hex = createHash("sha256").update(text).digest("hex");
  return { key: `npm/blobs/sha256/${hex.slice(0, 2)}/${hex}.1`, text };
});

/** As a host of an older release left it. */
async function fill(root: string): Promise<void> {
  await using store = await openFilesystemStore({ root });
  for (const { key, text } of [...blobs, { key: STORE_MARKER, text: "A storage.\n" }]) {
    const body = new Blob([text]).stream();
    await store.write(parseObjectKey(key), body, { existing: "replace" });
  }
}

test("copies the configured storage to a folder, and again without reading", async () => {
  await fill(join(folder, "data", "packages"));
  const plan = await copy(["--to", "folder:copied", "--dry-run"]);
  expect([plan.code, plan.printed]).toEqual([0, ""]);
  expect(plan.stderr).toBe(
    "Would copy 2 objects, 11 bytes.\n" +
      "Would compare the digests of 0 objects, 0 bytes.\n" +
      "Verified earlier: 0 objects, 0 bytes.",
  );
  expect(existsSync(join(folder, "copied"))).toBe(false);
  expect(existsSync(join(folder, "data", "storage-copy"))).toBe(false);
  const copied = await copy(["--to", "folder:copied"]);
  expect([copied.code, copied.printed]).toEqual([0, ""]);
  expect(copied.stderr).toBe(
    "Source: 2 objects, 11 bytes.\n" +
      "Copied 2 objects, 11 bytes. The target had 0 already.\n" +
      "Damaged in the source: 0. Failed: 0.",
  );
  for (const { key, text } of blobs) {
    expect(await readFile(join(folder, "copied", key), "utf8")).toBe(text);
  }
  const marker = await readFile(join(folder, "copied", STORE_MARKER), "utf8");
  expect(marker).toMatch(/^Registry: [0-9a-f-]{36}$/m);
  const again = await copy(["--to", "folder:copied", "--json"]);
  expect([again.code, again.stderr]).toEqual([0, ""]);
  expect(JSON.parse(again.printed)).toMatchObject({
    complete: true,
    total: { count: 2, bytes: 11 },
    copied: { count: 0 },
    known: { count: 2 },
    differences: [],
  });
  expect(await readdir(join(folder, "data", "storage-copy"))).toHaveLength(1);
});

test("a stopped copy names the next step", async () => {
  await fill(join(folder, "data", "packages"));
  const stopped = await copy(["--to", "folder:copied"], {}, AbortSignal.abort());
  const message = "The copy was stopped. Run the command again to continue it.";
  expect([stopped.code, stopped.printed, stopped.stderr]).toEqual([
    130,
    "",
    `${message}\nStopped by SIGINT.`,
  ]);
  expect((await copy(["--to", "folder:copied"])).code).toBe(0);
});

test("reports damaged objects with exit code 1", async () => {
  const root = join(folder, "data", "packages");
  await fill(root);
  const [{ key } = { key: "" }] = blobs;
  await writeFile(join(root, key), "FIRST");
  const outcome = await copy(["--to", "folder:copied"]);
  expect(outcome.code).toBe(1);
  expect(outcome.printed).toBe(`damaged  ${key}  5 bytes`);
  expect(outcome.stderr).toContain("Damaged in the source: 1. Failed: 0.");
  const json = await copy(["--to", "folder:copied", "--json"]);
  expect(JSON.parse(json.printed)).toMatchObject({
    complete: false,
    damaged: { count: 1 },
    differences: [{ problem: "damaged", key, size: 5 }],
  });
});

test("reads the settings of a store from variables and from a file", async () => {
  await fill(join(folder, "data", "packages"));
  const secret = { NEW_Storage__Bucket__KeyName: "BUCKET_KEY", BUCKET_KEY: "s3cret" };
  const env = { NEW_Storage__Type: "Bucket", NEW_Storage__Bucket__Name: "one", ...secret };
  const uploaded = await copy(["--to", "env:NEW_"], env);
  expect([uploaded.code, uploaded.stderr]).toEqual([
    0,
    expect.stringContaining("Copied 2 objects, 11 bytes."),
  ]);
  expect([...buckets.keys()]).toEqual(["one s3cret"]);
  const settings = { Storage: { Type: "Bucket", Bucket: { Name: "one", Key: "s3cret" } } };
  await writeFile(join(folder, "bucket.json"), JSON.stringify(settings));
  const downloaded = await copy(["--from", "settings:bucket.json", "--to", "folder:back"]);
  expect([downloaded.code, downloaded.stderr]).toEqual([
    0,
    expect.stringContaining("Copied 2 objects, 11 bytes."),
  ]);
  expect(await readdir(join(folder, "back"))).toEqual(expect.arrayContaining(["npm"]));
});

test.each([
  [["--to", "copied"], 78, /"copied" is not a store; allowed: folder:/],
  [["--to", "env:NEW_"], 78, /Storage__Type: is required/],
  [["--to", "settings:missing.json"], 78, /missing\.json: there is no such file/],
  [["--to", "settings:broken.json"], 78, /broken\.json: is not valid JSON/],
  [["--to", "settings:typo.json"], 78, /Storage__Bucket__Name: is required/],
  [["--to", "folder:copied", "--from", "folder:missing"], 1, /missing does not exist/],
  [["--to", "folder:data/packages"], 1, /^The target is the source\. Use another folder/],
  [["--to", "folder:data/packages/npm/copy"], 1, /^The target is inside the source/],
  [["--to", "folder:copied", "--from", "folder:empty"], 1, /has no store marker/],
  [["--to", "folder:foreign"], 1, /^The target belongs to another registry \(other\)/],
  [["--to", "folder:copied", "--from", "folder:foreign"], 1, /^The source belongs to another/],
  [["--to", "folder:copied", "--concurrency", "0"], 1, /whole number from 1 to 64/],
  [
    ["--to", "folder:copied", "--journal", "broken.json"],
    1,
    /is not the journal of a storage copy/,
  ],
])("%j is refused", async (words, code, message) => {
  await fill(join(folder, "data", "packages"));
  await (await openFilesystemStore({ root: join(folder, "empty") }))[Symbol.asyncDispose]();
  await using foreign = await openFilesystemStore({ root: join(folder, "foreign") });
  await adoptStore(foreign, "other");
  await writeFile(join(folder, "broken.json"), "{");
  const typo = { Storage: { Type: "Bucket", Bucket: { Nam: "one" } } };
  await writeFile(join(folder, "typo.json"), JSON.stringify(typo));
  const named = words.map((word) => (word === "broken.json" ? join(folder, word) : word));
  const outcome = await copy(named);
  expect(outcome.stderr).toMatch(message);
  expect([outcome.code, outcome.printed]).toEqual([code, ""]);
  expect(existsSync(join(folder, "copied", "npm"))).toBe(false);
});
