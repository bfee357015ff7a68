import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { warmMemory, writeNoise } from "./artifacts.ts";
import { openDockerRegistry } from "./docker-registry.ts";
import type { ImagePeer } from "./docker-registry.ts";
import type { HostProcess } from "./host-process.ts";
import type { ImageClient } from "./image-client.ts";
import { openImageClient } from "./image-client.ts";
import type { ImageCase, Layer, Small } from "./image-cases.ts";
import { PAGE_BUDGET_MS, fillWithTags, headLines, largeCases, smallCases } from "./image-cases.ts";
import { compareHeads } from "./image-heads.ts";
import { cpuSeconds, peakMib } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

export type ImageSizes = {
  readonly layerMib: number;
  /** Blobs and manifests of each round. */
  readonly small: number;
  readonly rounds: number;
  readonly manifests: number;
};

type Side = { readonly client: ImageClient; readonly pid: number };
type Figure = { readonly cpu: number; readonly perSecond: number };

const CONNECTIONS = 8;
const HEAD_LOAD = { rounds: 5, seconds: 2 };
const PEAK_BUDGET_MIB = 250;
const GIB = 1024 ** 3;

/**
 * Pushes and pulls of images, host and docker-registry in turn, with the same requests: CPU time of
 * the server, and throughput.
 */
export async function measureImages(
  host: HostProcess,
  token: string,
  { folder, ...sizes }: ImageSizes & { readonly folder: string },
): Promise<readonly Result[]> {
  await using peer = await openDockerRegistry(join(folder, "docker-registry"));
  if (!peer) console.log("docker-registry is not on this machine: the host is measured alone");
  const authorization = `Basic ${Buffer.from(`bench:${token}`).toString("base64")}`;
  using own = openImageClient(host.url, authorization);
  using other = openImageClient(peer?.url ?? host.url);
  const ours: Side = { client: own, pid: host.pid };
  const theirs = peer && { client: other, pid: peer.pid };
  const layers: Layer[] = [];
  for (let round = 0; round < sizes.rounds; round += 1) {
    const path = join(folder, `layer-${round}.bin`);
    const digest = `sha256:${await writeNoise(path, sizes.layerMib * 1024 * 1024)}`;
    layers.push({ path, digest, size: (await stat(path)).size });
  }
  // What loads at the first push of a layer and of a manifest is not what they cost.
  for (const side of theirs ? [ours, theirs] : [ours]) {
    await fillWithTags(side.client, "bench/first", 1);
  }
  const small = smallOf(sizes);
  const cases = [...largeCases(layers), ...smallCases(small)];
  const results = await compareAll(cases, [ours, theirs], { ...sizes, folder });
  const sides = peer && ([{ ...host, authorization }, peer] as const);
  const heads = sides && (await compareHeads(headLines(small), sides, HEAD_LOAD));
  const page = await measurePage(ours, sizes.manifests);
  return [...results, ...(heads ?? []), page, peakOf(host, peer)];
}

function smallOf({ small, rounds }: ImageSizes): readonly Small[] {
  return Array.from({ length: rounds }, (_, round) => ({
    repository: `bench/small-${round}`,
    blobs: Array.from({ length: small }, () => randomBytes(4_096)),
    more: Array.from({ length: small }, () => randomBytes(4_096)),
  }));
}

/** Round by round, so that a case finds what those before it have pushed. */
async function compareAll(
  cases: readonly ImageCase[],
  [ours, theirs]: readonly [Side, Side | undefined],
  { rounds, folder }: { readonly rounds: number; readonly folder: string },
): Promise<readonly Result[]> {
  const figures = cases.map(() => ({ ours: [] as Figure[], theirs: [] as Figure[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, imageCase] of cases.entries()) {
      const turn = { round, folder };
      if (theirs) figures[index]?.theirs.push(await measured(theirs, imageCase, turn));
      figures[index]?.ours.push(await measured(ours, imageCase, turn));
    }
  }
  return cases.map((entry, index) => resultOf(entry, figures[index] ?? { ours: [], theirs: [] }));
}

async function measured(
  { client, pid }: Side,
  imageCase: ImageCase,
  { round, folder }: { readonly round: number; readonly folder: string },
): Promise<Figure> {
  if (imageCase.bytes !== undefined) await warmMemory(join(folder, "warm.bin"), GIB);
  const before = cpuSeconds(pid);
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    for (let index = next++; index < imageCase.count; index = next++) {
      await imageCase.run(client, { index, round });
    }
  };
  await Promise.all(Array.from({ length: imageCase.connections ?? CONNECTIONS }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = cpuSeconds(pid) - before;
  const gibs = imageCase.bytes === undefined ? undefined : imageCase.bytes / GIB;
  return gibs === undefined
    ? { cpu: (cpu / imageCase.count) * 1_000, perSecond: imageCase.count / seconds }
    : { cpu: cpu / gibs, perSecond: (gibs * 1_024) / seconds };
}

function resultOf(
  { what, bytes, budget, peer }: ImageCase,
  { ours, theirs }: { readonly ours: readonly Figure[]; readonly theirs: readonly Figure[] },
): Result {
  const cpu = median(ours.map((figure) => figure.cpu));
  const rate = median(ours.map((figure) => figure.perSecond));
  const others = median(theirs.map((figure) => figure.cpu));
  const speed = median(
    theirs.map(({ perSecond }, index) => (ours[index]?.perSecond ?? Number.NaN) / perSecond),
  );
  const beside =
    theirs.length === 0
      ? "docker-registry was not there"
      : `docker-registry ${others.toFixed(2)}, ${speed.toFixed(1)} times its rate`;
  const slower = peer === undefined || theirs.length === 0 ? undefined : others / peer;
  const scaled =
    slower === undefined
      ? ""
      : `; ${(cpu / slower).toFixed(2)} where that takes ${peer}, as when the budget was set`;
  return {
    what: `images: ${what}`,
    figure: cpu,
    unit: bytes === undefined ? "CPU ms" : "CPU s/GiB",
    budget,
    bound: "at most",
    remark: `${rate.toFixed(0)} ${bytes === undefined ? "/s" : "MiB/s"}; ${beside}${scaled}`,
  };
}

async function measurePage({ client }: Side, manifests: number): Promise<Result> {
  await fillWithTags(client, "bench/many", manifests);
  const times: number[] = [];
  for (let page = 0; page < 20; page += 1) {
    const startedAt = performance.now();
    await client.ask({ method: "GET", path: "/v2/bench/many/tags/list?n=1000", status: 200 });
    times.push(performance.now() - startedAt);
  }
  return {
    what: `images: page of tags of a repository of ${manifests} manifests`,
    figure: median(times),
    unit: "ms",
    budget: PAGE_BUDGET_MS,
    bound: "at most",
  };
}

function peakOf(host: HostProcess, peer: ImagePeer | undefined): Result {
  return {
    what: "images: peak memory after all that",
    figure: peakMib(host.pid),
    unit: "MiB",
    budget: PEAK_BUDGET_MIB,
    bound: "at most",
    ...(peer && { remark: `docker-registry ${peakMib(peer.pid).toFixed(0)}` }),
  };
}
