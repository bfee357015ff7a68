import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { adoptStore } from "@sealhouse/storage-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { loadConfig } from "../../settings/load.ts";
import { runInProcess } from "../../testing/index.ts";
import { openCore } from "../core.ts";
import { upkeep } from "../features/upkeep.ts";
import { openResources } from "./registry-resources.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** The marker of releases without ids. */
const OLDER = "This folder is the storage of a Sealhouse registry. Do not remove this file.\n";

const log = createLog({ level: "None", format: "Json" }, () => undefined);
let folder = "";
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "sealhouse-claim-"))));
afterEach(() => rm(folder, { recursive: true }));

/** Settings of a registry with its own database; all share a storage. */
const settingsOf = (registry: string) => ({
  ASPNETCORE_ENVIRONMENT: "Development",
  ASPNETCORE_URLS: "http://127.0.0.1:0",
  Host__DataPath: join(folder, registry),
  Storage__Path: join(folder, "storage"),
});
const inStorage = (key: string) => join(folder, "storage", key);

async function write(key: string, text: string): Promise<void> {
  await mkdir(dirname(inStorage(key)), { recursive: true });
  await writeFile(inStorage(key), text);
}

const configOf = (registry: string) =>
  loadConfig({ env: settingsOf(registry), workingFolder: folder }).config;
const openAs = (registry: string, now = () => new Date()) =>
  openResources(configOf(registry), { log, extensions: [], now });

/** Starts a registry as a host does, and returns its id. */
async function startAs(registry: string): Promise<string> {
  await using resources = await openAs(registry);
  return resources.registryId;
}

/** Runs the command line of a registry. */
function run(registry: string, ...words: readonly string[]) {
  return runInProcess(words, {
    folder,
    env: settingsOf(registry),
    stop: AbortSignal.timeout(20_000),
  });
}

test("a registry refuses the storage of another one, until it adopts it", async () => {
  const first = await startAs("first");
  expect(await startAs("first")).toBe(first);
  await expect(startAs("second")).rejects.toMatchObject({ code: "storage-foreign" });

  const place = `Storage__Path=${join(folder, "storage")}`;
  for (const words of [["serve"], ["config", "check"], ["check"]]) {
    const refused = await run("second", ...words);
    expect(refused.code, words.join(" ")).toBe(78);
    expect(refused.stderr).toContain(`${place}: the storage belongs to the registry ${first}, `);
    expect(refused.stderr).toContain('run "sealhouse storage adopt"');
  }
  expect((await run("first", "config", "check")).code).toBe(0);

  const adopted = await run("second", "storage", "adopt");
  const second = /^Former registry: (\S+)\nRegistry: (\S+)$/.exec(adopted.printed);
  expect([adopted.code, adopted.stderr, second?.[1]]).toEqual([
    0,
    expect.stringMatching(/^Warning: the storage has none of the newest objects/),
    first,
  ]);
  expect(await startAs("second")).toBe(second?.[2]);
  await expect(startAs("first")).rejects.toMatchObject({ code: "storage-foreign" });
  const again = await run("second", "storage", "adopt");
  expect([again.code, again.printed]).toEqual([0, expect.stringContaining("already")]);
  const { printed } = await run("second", "audit", "list", "--json", "--type", "settings.changed");
  expect(printed).toContain(`"formerRegistryId": "${first}"`);
});

test("a storage of an older release gets the id of its registry", async () => {
  await write("store-marker", OLDER);
  const id = await startAs("first");
  expect(await readFile(inStorage("store-marker"), "utf8")).toBe(`${OLDER}Registry: ${id}\n`);
  await expect(startAs("second")).rejects.toMatchObject({ code: "storage-foreign" });
});

test("a registry with an empty database refuses a storage with objects", async () => {
  await write("npm/blobs/sha256/ab/ab.1", "of a lost database");
  const refused = await run("first", "serve");
  expect([refused.code, refused.stderr]).toEqual([
    78,
    expect.stringContaining("has objects, and none of the newest objects of the database"),
  ]);
  expect((await run("first", "storage", "adopt")).printed).toMatch(/^Former registry: none\n/);
  await startAs("first");
});

test("storage adopt refuses a folder that does not exist", async () => {
  const refused = await run("first", "storage", "adopt");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("does not exist")]);
});

test.each(["sweep", "storage check"])(
  "the %s of a running host ends when another registry has adopted the storage",
  async (name) => {
    let time = Date.now();
    const now = () => new Date(time);
    await using core = await openCore(configOf("first"), { log, now });
    const { resources } = core;
    const { jobs = [] } = await upkeep.open(core);
    const job = jobs.find((one) => one?.name === name);
    const runJob = () => job?.run(new AbortController().signal);
    await runJob();

    await adoptStore(resources.store, "second");
    await write("npm/blobs/sha256/ab/ab.1", "of the second");
    time += 3 * DAY_MS;
    await expect(runJob()).rejects.toThrow(/has the marker of another registry \(second\)/);
    expect(await readFile(inStorage("npm/blobs/sha256/ab/ab.1"), "utf8")).toBe("of the second");
  },
);
