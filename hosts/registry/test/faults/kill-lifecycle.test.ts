import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { buildNupkg, buildPdb, buildSnupkg } from "@sealhouse/nuget-protocol/testing";
import { sweepUnnamed } from "@sealhouse/storage-providers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../src/log.ts";
import { loadConfig } from "../../src/settings/load.ts";
import { spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { openResources } from "../../src/wiring/resources/registry-resources.ts";
import { openFolder } from "../clients/client.ts";

/** One round in CI; `pnpm test:extended` sets more. */
const ROUNDS = Number(process.env["SEALHOUSE_FAULT_ROUNDS"] ?? "1");
const LANES_EACH = 6;
const PDB_ID = Buffer.alloc(20, 0x11);
const KEY = `${"11".repeat(16)}ffffffff`;
const SETTINGS = { AllowPackageOverwrites: "true", PackageDeletionBehavior: "HardDelete" };

const cleanUp = new AsyncDisposableStack();
let folder: string;

beforeAll(async () => {
  folder = cleanUp.use(await openFolder()).path;
});
afterAll(() => cleanUp.disposeAsync());

/**
 * A sequence of changes to one package: after a kill, the last acknowledged state counts, or the
 * state of the running change.
 */
type Lane = {
  readonly id: string;
  acknowledged: number;
  step(host: TestHost, token: string, n: number): Promise<boolean>;
  /** The number of the step that it shows, or what is wrong with it. */
  shown(host: TestHost, token: string): Promise<number | string>;
};

for (let round = 1; round <= ROUNDS; round += 1) {
  test(`a kill amid overwrites, deletions and symbols leaves each whole, round ${round}`, async () => {
    const numbers = Array.from({ length: LANES_EACH }, (_, n) => `R${round}.N${n}`);
    const lanes = numbers.flatMap((n) => [
      overwriting(`Over.${n}`),
      deleting(`Gone.${n}`),
      symbols(`Symbols.${n}`),
    ]);
    {
      const host = await spawnHost({ folder, env: SETTINGS });
      const token = await host.makeToken({ scopes: "read,write,delete" });
      const running = lanes.map((lane) => run(lane, host, token));
      const done = () => lanes.reduce((sum, lane) => sum + lane.acknowledged, 0);
      const enough = lanes.length * 2 + ((round * 17) % 60);
      for (let waited = 0; waited < 30_000 && done() < enough; waited += 5) await delay(5);
      await host.kill();
      await Promise.all(running);
    }
    await sweep();
    await using host = await spawnHost({ folder, env: SETTINGS });
    const token = await host.makeToken({ scopes: "read,write,delete" });
    expect((await host.fetch("/health")).status).toBe(200);
    for (const lane of lanes) {
      const { id, acknowledged } = lane;
      const shown = await lane.shown(host, token);
      expect([acknowledged, acknowledged + 1], `${id} shows ${shown}`).toContain(shown);
    }
  }, 180_000);
}

async function run(lane: Lane, host: TestHost, token: string): Promise<void> {
  for (let n = 1; await lane.step(host, token, n).catch(() => false); n += 1) lane.acknowledged = n;
}

function overwriting(id: string): Lane {
  return {
    id,
    acknowledged: 0,
    step: (host, token, n) => push(host, token, { id, n }),
    async shown(host) {
      const readme = await textAt(host, contentPath(id, "readme"));
      if (readme === undefined) return 0;
      const nuspec = await textAt(host, contentPath(id, `${id}.nuspec`));
      const file = await textAt(host, contentPath(id, `${id}.1.0.0.nupkg`));
      const path = `/v3/registration-semver2/${id.toLowerCase()}/index.json`;
      const document = await textAt(host, path);
      const titles = [nuspec, document].map((text) => /\bT\d+\b/.exec(text ?? "")?.[0]);
      const isOne = titles.every((title) => title === `T${readme}`) && file !== undefined;
      return isOne ? Number(readme) : `readme ${readme}, titles ${titles.join(" ")}`;
    },
  };
}

/** Pushed, then deleted; its number stays taken. */
function deleting(id: string): Lane {
  return {
    id,
    acknowledged: 0,
    async step(host, token, n) {
      if (n === 1) return push(host, token, { id, n });
      if (n > 2) return false;
      const headers = { "x-nuget-apikey": token };
      const path = `/api/v2/package/${id}/1.0.0`;
      return (await host.fetch(path, { method: "DELETE", headers })).status === 204;
    },
    async shown(host, token) {
      if ((await textAt(host, contentPath(id, "readme"))) === "1") return 1;
      const isFree = await push(host, token, { id, n: 1 });
      return isFree ? 0 : 2;
    },
  };
}

/** A package, then symbols that replace each other under one key. */
function symbols(id: string): Lane {
  const name = `${id}.pdb`;
  const pdb = (n: number) => buildPdb({ content: `${n}`, id: PDB_ID });
  return {
    id,
    acknowledged: 0,
    async step(host, token, n) {
      if (n === 1) return push(host, token, { id, n });
      const bytes = buildSnupkg({ id, version: "1.0.0", files: { [name]: pdb(n) } });
      return put(host, token, "/api/v2/symbolpackage", bytes);
    },
    async shown(host) {
      const path = `/symbols/${name.toLowerCase()}/${KEY}/${name.toLowerCase()}`;
      const served = await host.fetch(path);
      const bytes = Buffer.from(await served.arrayBuffer());
      if (served.status === 404) return (await textAt(host, contentPath(id, "readme"))) ? 1 : 0;
      for (let n = 2; n < 1_000; n += 1) if (bytes.equals(pdb(n))) return n;
      return `symbols of ${bytes.length} bytes`;
    },
  };
}

/** Deletes unreferenced objects as if the grace period were over; referenced objects must stay. */
async function sweep(): Promise<void> {
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    Signing__SelfSigned__KeySize: "KeySize2048",
  };
  const { config } = loadConfig({ env, workingFolder: folder });
  const log = createLog({ level: "None", format: "Json" });
  const now = () => new Date();
  await using resources = await openResources(config, { log, extensions: [], now });
  const { store, database } = resources;
  const isNamed = (keys: readonly string[]) => database.blobs.isNamed(keys);
  const tomorrow = new Date(Date.now() + 86_400_000);
  await sweepUnnamed(store, { prefix: "nuget", olderThan: tomorrow, isNamed });
}

function push(
  host: TestHost,
  token: string,
  { id, n }: { readonly id: string; readonly n: number },
): Promise<boolean> {
  const metadata = `<title>T${n}</title><readme>r.md</readme>`;
  const files = { "r.md": `${n}`, "content/bytes.bin": randomBytes(50_000) };
  const bytes = buildNupkg({ id, version: "1.0.0", metadata, files });
  return put(host, token, "/api/v2/package/", bytes);
}

async function put(
  host: TestHost,
  token: string,
  path: string,
  bytes: Uint8Array,
): Promise<boolean> {
  const headers = { "x-nuget-apikey": token, "content-type": "application/octet-stream" };
  const answer = await host.fetch(path, { method: "PUT", headers, body: Buffer.from(bytes) });
  await answer.arrayBuffer();
  return answer.status === 201;
}

function contentPath(id: string, file: string): string {
  return `/v3/package/${id.toLowerCase()}/1.0.0/${file.toLowerCase()}`;
}

/** Undefined for a missing document or an incomplete answer. */
async function textAt(host: TestHost, path: string): Promise<string | undefined> {
  const answer = await host.fetch(path);
  const text = await answer.text();
  if (answer.status === 404) return undefined;
  return answer.status === 200 ? text : `status ${answer.status}`;
}
