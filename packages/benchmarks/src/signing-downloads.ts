import { createWriteStream, globSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import type { NamedPackage } from "./artifacts.ts";
import { writeNupkg } from "./artifacts.ts";
import type { HostProcess } from "./host-process.ts";
import { makeToken, openHost } from "./host-process.ts";
import { cpuSeconds, peakMib, resetPeak, residentMib, threadSeconds } from "./process-figures.ts";
import { pushNupkg } from "./pushes.ts";
import type { Result } from "./result.ts";
import { MEMORY_BUDGET_MIB } from "./signing-verification.ts";
import { median } from "./start-up.ts";

const MIB = 1024 * 1024;
const SMALL_MIB = 5;
const MORE_BUDGET_PERCENT = 20;
/** Packages of each size; each is signed once per round. */
const VERSIONS = 3;
const SETTLES_MS = 2_000;
/** As operators run it; the certificate is made before the first round. */
const SIGNING = { Signing__SelfSigned__KeySize: "KeySize4096", Signing__TimestampServerUrl: "" };
const OFF = { Signing__Mode: "" };

type Sizes = { readonly largeMib: number; readonly rounds: number };
type Cost = { readonly ms: number; readonly cpuMs: number };
type Round = { readonly small: Cost; readonly large: Cost };

/** Cost of the first download of a package from before signing was on. */
export async function measureFirstDownloads(
  folder: string,
  { largeMib, rounds }: Sizes,
): Promise<readonly Result[]> {
  const data = join(folder, "first-downloads");
  const small = versionsOf("Bench.First.Small");
  const large = versionsOf("Bench.First.Large");
  const warm = versionsOf("Bench.First.Warm");
  await publish(data, [
    ...[...warm, ...small].map((smallPackage) => ({ namedPackage: smallPackage, mib: SMALL_MIB })),
    ...large.map((largePackage) => ({ namedPackage: largePackage, mib: largeMib })),
  ]);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    forgetSeals(data);
    await using host = await openHost(data, { env: SIGNING });
    for (const warmPackage of warm) await firstByte(host, warmPackage);
    await delay(SETTLES_MS);
    for (const [index, namedPackage] of small.entries()) {
      const other = large[index] ?? namedPackage;
      measured.push({
        small: await firstByte(host, namedPackage),
        large: await firstByte(host, other),
      });
    }
  }
  forgetSeals(data);
  const memory = await memoryOfDownload(data, { largeMib, warm, large });
  return [...costResults(measured, largeMib), memory];
}

/** Downloads one signed package into a file. */
export async function downloadSigned(
  host: HostProcess,
  namedPackage: NamedPackage,
  path: string,
): Promise<void> {
  const answer = await fetch(urlOf(host, namedPackage));
  if (!answer.ok || !answer.body) throw new Error(`the download answered ${answer.status}`);
  await pipeline(Readable.fromWeb(answer.body), createWriteStream(path));
}

function versionsOf(id: string): readonly NamedPackage[] {
  return Array.from({ length: VERSIONS }, (_, index) => ({ id, version: `1.${index}.0` }));
}

/** Pushes everything to a host that does not sign. */
async function publish(
  data: string,
  uploads: readonly { readonly namedPackage: NamedPackage; readonly mib: number }[],
): Promise<void> {
  const token = await makeToken(data, OFF);
  await using host = await openHost(data, { env: OFF });
  for (const { namedPackage, mib } of uploads) {
    const path = await writeNupkg(data, namedPackage, mib * MIB);
    await pushNupkg(host.url, token, path);
    await rm(path);
  }
}

function urlOf({ url }: HostProcess, { id, version }: NamedPackage): string {
  const lower = id.toLowerCase();
  return `${url}/v3/package/${lower}/${version}/${lower}.${version}.nupkg`;
}

/** Time to the first byte, which is when it is signed, and what the host computed for it. */
async function firstByte(host: HostProcess, namedPackage: NamedPackage): Promise<Cost> {
  const cpuBefore = threadSeconds(host.pid);
  const startedAt = performance.now();
  const answer = await fetch(urlOf(host, namedPackage), { headers: { range: "bytes=0-0" } });
  await answer.arrayBuffer();
  const ms = performance.now() - startedAt;
  if (answer.status !== 206) throw new Error(`the first byte answered ${answer.status}`);
  return { ms, cpuMs: (threadSeconds(host.pid) - cpuBefore) * 1000 };
}

function costResults(rounds: readonly Round[], largeMib: number): readonly Result[] {
  const result = (what: string, cost: keyof Cost): Result => {
    const small = median(rounds.map((round) => round.small[cost]));
    const large = median(rounds.map((round) => round.large[cost]));
    return {
      what,
      figure: (large / small - 1) * 100,
      unit: "% more",
      budget: MORE_BUDGET_PERCENT,
      bound: "at most",
      remark: `medians of ${rounds.length}; ${large.toFixed(1)} against ${small.toFixed(1)} ms`,
    };
  };
  return [
    result(`first byte of a package that is signed on download, ${largeMib} MiB against 5`, "ms"),
    result("CPU time of the host for it", "cpuMs"),
  ];
}

async function memoryOfDownload(
  data: string,
  packages: {
    readonly largeMib: number;
    readonly warm: readonly NamedPackage[];
    readonly large: readonly NamedPackage[];
  },
): Promise<Result> {
  await using host = await openHost(data, { env: SIGNING });
  const target = join(data, "downloaded.nupkg");
  for (const warmPackage of packages.warm) await downloadSigned(host, warmPackage, target);
  await delay(SETTLES_MS);
  const restMib = residentMib(host.pid);
  resetPeak(host.pid);
  const cpuBefore = cpuSeconds(host.pid);
  const [largePackage = { id: "", version: "" }] = packages.large;
  const startedAt = performance.now();
  await downloadSigned(host, largePackage, target);
  const seconds = (performance.now() - startedAt) / 1000;
  await rm(target);
  const cpu = cpuSeconds(host.pid) - cpuBefore;
  return {
    what: `first download of ${packages.largeMib} MiB, signed on the way`,
    figure: peakMib(host.pid) - restMib,
    unit: "MiB over rest",
    budget: MEMORY_BUDGET_MIB,
    bound: "at most",
    remark: `${(packages.largeMib / seconds).toFixed(0)} MiB/s, ${cpu.toFixed(1)} CPU s`,
  };
}

/** Marks every version of a stopped host as not downloaded yet. */
export function forgetSeals(data: string): void {
  for (const name of globSync("*.db", { cwd: data })) {
    using database = openDatabase(join(data, name));
    database.run(
      `update nuget_versions set seal_plan = null, seal_fingerprint = null, seal_size = null,
        seal_signed_at = null, seal_sha256 = null, seal_sha512 = null`,
    );
  }
}

function openDatabase(path: string): Disposable & { run(sql: string): void } {
  const database = new DatabaseSync(path);
  return { run: (sql) => database.exec(sql), [Symbol.dispose]: () => database.close() };
}
