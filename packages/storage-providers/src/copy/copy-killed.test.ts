import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openFilesystemStore } from "../filesystem.ts";
import { parseObjectKey } from "../object-store.ts";
import { oneChunk } from "../one-chunk.ts";
import { STORE_MARKER } from "../store-marker.ts";

const OBJECTS = 60;

const COPYING = `
  import { join } from "node:path";
  import { openFilesystemStore } from ${JSON.stringify(import.meta.resolve("../filesystem.ts"))};
  import { openCopyJournal } from ${JSON.stringify(import.meta.resolve("./copy-journal.ts"))};
  import { copyStore } from ${JSON.stringify(import.meta.resolve("./copy-store.ts"))};
  const [, folder] = process.argv;
  await using from = await openFilesystemStore({ root: join(folder, "from") });
  await using to = await openFilesystemStore({ root: join(folder, "to") });
  await using journal = await openCopyJournal(join(folder, "journal"));
  const digestsOf = async () => new Map();
  const onProgress = ({ copied, known }) => process.send({ count: copied.count + known.count });
  const onDifference = (difference) => { throw new Error(JSON.stringify(difference)); };
  const copy = { from, to, journal, digestsOf, concurrency: 4, onProgress, onDifference };
  process.send({ summary: await copyStore(copy) });
  process.disconnect();
`;

function startCopy(folder: string) {
  const node = ["--conditions=@sealhouse/source", "--input-type=module", "-e", COPYING];
  return spawn(process.execPath, [...node, folder], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

test(
  "a copy that is killed again and again continues to the end",
  { timeout: 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "store-copy-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await using from = await openFilesystemStore({ root: join(folder, "from") });
    const put = (key: string, bytes: Uint8Array) =>
      from.write(parseObjectKey(key), oneChunk(bytes), { existing: "replace" });
    const digests = new Map<string, string>();
    for (let index = 0; index < OBJECTS; index += 1) {
      const bytes = randomBytes(100_000);
      const hex = createHash("sha256").update(bytes).digest("hex");
      const key = `oci/blobs/sha256/${hex.slice(0, 2)}/${hex}.1`;
      digests.set(key, hex);
      await put(key, bytes);
    }
    await put(STORE_MARKER, Buffer.from("marker"));
    await using to = await openFilesystemStore({ root: join(folder, "to") });
    for (const count of [5, 20, 40]) {
      const child = startCopy(folder);
      const exit = once(child, "exit");
      child.on("message", (message: { readonly count?: number }) => {
        if ((message.count ?? 0) >= count) child.kill("SIGKILL");
      });
      expect(await exit).toEqual([null, "SIGKILL"]);
      expect(await to.stat(STORE_MARKER)).toBeUndefined();
    }
    const child = startCopy(folder);
    const exit = once(child, "exit");
    const messages: unknown[] = [];
    child.on("message", (message) => messages.push(message));
    expect(await exit).toEqual([0, null]);
    const { summary } = messages.at(-1) as { summary: { known: { count: number } } };
    expect(summary).toMatchObject({ damaged: { count: 0 }, failed: { count: 0 } });
    expect(summary.known.count).toBeGreaterThan(0);
    const copiedDigests = new Map<string, string>();
    for await (const { key } of to.list("oci/")) {
      const hash = createHash("sha256");
      for await (const chunk of to.bytes(key)) hash.update(chunk);
      copiedDigests.set(key, hash.digest("hex"));
    }
    expect(copiedDigests).toEqual(digests);
    expect(await to.stat(STORE_MARKER)).toBeDefined();
  },
);
