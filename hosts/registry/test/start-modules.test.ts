import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { spawnHost } from "../src/testing/index.ts";
import { run } from "./clients/client.ts";

/** Libraries that take tenths of a CPU second to load, and what they are loaded for. */
const LAZY = {
  "making a certificate": ["@peculiar+x509", "@peculiar+webcrypto", "reflect-metadata"],
  "opening a PFX file": ["pkijs", "asn1js"],
  "a migration or a change": ["@mikro-orm+core"],
} as const;

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const PRELOAD = pathToFileURL(join(import.meta.dirname, "record-modules.mjs")).href;

async function openTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-modules-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

// A module costs about a millisecond of CPU time. "token list" also creates the database here, as a
// copy of an empty file.
test.each([
  [["--help"], 500],
  [["token", "list"], 1_800],
])("the command %j of a clone loads only what it uses", async (words, modulesMax) => {
  const folder = await openTemporaryFolder();
  const file = join(folder, "loaded.txt");
  const args = [`--import=${PRELOAD}`, "--conditions=@sealhouse/source", MAIN, ...words];
  const env = { ASPNETCORE_ENVIRONMENT: "Development", LOADED_MODULES: file };
  const ran = await run(process.execPath, args, { cwd: folder, env });
  expect(ran.code, ran.output).toBe(0);
  const loaded = (await readFile(file, "utf8")).split("\n");
  expect(loaded.length).toBeGreaterThan(100);
  expect(loaded.length).toBeLessThan(modulesMax);
});

test("the first start and later ones load no library for certificates or migrations", async () => {
  const folder = await openTemporaryFolder();
  const database = { ConnectionStrings__Sqlite: `Data Source=${join(folder, "sealhouse.db")}` };
  for (const start of ["first", "later"]) {
    const file = join(folder, `${start}.txt`);
    const recording = { NODE_OPTIONS: `--import=${PRELOAD}`, LOADED_MODULES: file };
    await using host = await spawnHost({ env: { ...database, ...recording } });
    expect((await host.fetch("/v3/index.json")).status).toBe(200);
    expect((await host.fetch("/health/ready")).status).toBe(200);
    await host.stop();
    const loaded = await readFile(file, "utf8");
    expect(loaded).toContain("/better-sqlite3@");
    for (const [reason, libraries] of Object.entries(LAZY)) {
      const early = libraries.filter((library) => loaded.includes(`/${library}@`));
      expect(early, `${start} start: only ${reason} needs them`).toEqual([]);
    }
  }
});
