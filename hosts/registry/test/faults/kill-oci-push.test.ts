import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { Digest } from "@sealhouse/oci-distribution";
import {
  sweepLeftovers,
  sweepUnnamed,
  checkStorage,
  setOrphansAside,
} from "@sealhouse/storage-providers";
import { expect, test } from "vitest";
import { createLog } from "../../src/log.ts";
import { loadConfig } from "../../src/settings/load.ts";
import { openResources } from "../../src/wiring/resources/registry-resources.ts";
import type { RegistryResources } from "../../src/wiring/resources/registry-resources.ts";
import { checkParts } from "@sealhouse/feed";
import { openFolder } from "../clients/client.ts";

const CHILD = fileURLToPath(new URL("oci-push-child.ts", import.meta.url));
const APP = parseRepositoryName("app");
const HOUR_MS = 3_600_000;
const log = createLog({ level: "None", format: "Json" }, () => undefined);

type Answered = { readonly blobs: readonly Digest[]; readonly tags: ReadonlyMap<string, Digest> };

/**
 * The step after which the process is killed, and the number of objects without a row that it
 * leaves.
 */
const POINTS = [
  ["begun", 0],
  ["staged", 0],
  ["appended", 0],
  ["advanced", 0],
  ["assembled", 0],
  ["kept little", 0],
  ["kept much", 1],
  ["linked", 0],
  ["recorded", 0],
] as const;

/** Three of them in CI; `pnpm test:extended` kills at all. */
const SMOKE: readonly string[] = ["assembled", "kept much", "recorded"];
const isWhole = process.env["SEALHOUSE_FAULT_ROUNDS"] !== undefined;
const tested = POINTS.filter(([point]) => isWhole || SMOKE.includes(point));

test.each(tested)(
  "a push killed once it has %s loses nothing that was acknowledged",
  async (point, orphans) => {
    await using folder = await openFolder();
    const died = await push(folder.path, point);
    expect(died.signal).toBe("SIGKILL");
    expect(died.answered.tags.has("v1")).toBe(true);
    expect(died.answered.tags.has("v2")).toBe(false);
    await withResources(folder.path, async (resources) => {
      await expectWhole(resources, died.answered);
      await expectSound(resources);
      const unnamed = (await namesOf(resources)).unnamed.filter((key) =>
        key.startsWith("oci/blobs/"),
      );
      expect(unnamed).toHaveLength(orphans);
    });

    const again = await push(folder.path, "none");
    expect(again.code).toBe(0);
    expect([...again.answered.tags.keys()]).toEqual(["v1", "v2", "v3"]);
    await withResources(folder.path, async (resources) => {
      await sweepAsIfLater(resources, 49 * HOUR_MS);
      const aside = (await namesOf(resources)).unnamed;
      expect(aside.filter((key) => key.startsWith("oci/quarantine/"))).toHaveLength(orphans);
      await sweepAsIfLater(resources, (49 + 8 * 24) * HOUR_MS);
      expect((await namesOf(resources)).unnamed).toEqual([]);
      await expectWhole(resources, died.answered);
      await expectWhole(resources, again.answered);
      await expectSound(resources);
    });
  },
  120_000,
);

async function push(folder: string, point: string) {
  const words = ["--conditions=@sealhouse/source", CHILD, folder, point];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  const lines = (await child.stdout.setEncoding("utf8").toArray()).join("").split("\n");
  await closed;
  const rows = lines.map((line) => line.split(" "));
  const blobs = rows.flatMap(([what, digest = ""]) =>
    what === "blob" ? [parseDigest(digest)] : [],
  );
  const tags = rows.flatMap(([what, tag = "", digest = ""]) =>
    what === "tag" ? [[tag, parseDigest(digest)] as const] : [],
  );
  const answered: Answered = { blobs, tags: new Map(tags) };
  return { code: child.exitCode, signal: child.signalCode, answered };
}

async function withResources(
  folder: string,
  work: (registryResources: RegistryResources) => Promise<void>,
): Promise<void> {
  const env = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder };
  const { config } = loadConfig({ env, workingFolder: folder });
  await using resources = await openResources(config, {
    log,
    extensions: [],
    now: () => new Date(),
  });
  await work(resources);
}

/** Each blob, and each manifest with all that it names, byte by byte. */
async function expectWhole(
  { database, blobs }: RegistryResources,
  answered: Answered,
): Promise<void> {
  const { oci } = database;
  const expectBlob = async (digest: Digest) => {
    const blob = await oci.blobs.find(APP, digest);
    if (!blob) throw new Error(`${digest} is lost`);
    const hash = createHash("sha256");
    for await (const chunk of blobs.oci.read(blob.key)) hash.update(chunk);
    expect(`sha256:${hash.digest("hex")}`).toBe(digest);
  };
  for (const digest of answered.blobs) await expectBlob(digest);
  for (const [tag, digest] of answered.tags) {
    const manifest = await oci.manifests.find(APP, tag);
    expect(manifest?.digest).toBe(digest);
    const digests = Buffer.from(manifest?.bytes ?? [])
      .toString()
      .match(/sha256:[0-9a-f]{64}/g);
    expect(digests).toHaveLength(4);
    for (const child of digests ?? []) await expectBlob(parseDigest(child));
  }
}

/** `blob_bytes_stored` equals the stored bytes. */
async function expectSound(resources: RegistryResources): Promise<void> {
  const findings: unknown[] = [];
  const run = {
    protocols: ["oci"],
    lease: "check-command",
    caller: { actor: "test" },
    verifyBefore: new Date(),
    onFinding: (finding: unknown) => findings.push(finding),
  } as const;
  const ended = await checkStorage(
    checkParts(resources, () => new Date()),
    run,
  );
  expect(findings).toEqual([]);
  if (ended.status === "busy") throw new Error("another check is running");
  const { oci } = ended.result.protocols;
  if (!oci) throw new Error("images were not checked");
  const { named, stored } = oci;
  expect(stored).toEqual(named);
  expect(await resources.database.blobs.usage("oci")).toBe(named.bytes);
}

async function namesOf({ store, database }: RegistryResources) {
  const keys = (await Array.fromAsync(store.list("oci/"))).map(({ key }) => key);
  const namedKeys = await database.blobs.isNamed(keys);
  return { unnamed: keys.filter((key) => !namedKeys.has(key)) };
}

async function sweepAsIfLater({ store, database }: RegistryResources, ms: number): Promise<void> {
  const now = () => new Date(Date.now() + ms);
  await sweepUnnamed(store, {
    prefix: "oci",
    olderThan: now(),
    isNamed: (keys) => database.blobs.isNamed(keys),
    hasSession: async () => new Set(),
    blobs: "leave",
  });
  await sweepLeftovers(store, { prefixes: ["oci"], olderThan: now() });
  await setOrphansAside(
    { store, isNamed: (keys) => database.blobs.isNamed(keys), now },
    { prefix: "oci" },
  );
}
