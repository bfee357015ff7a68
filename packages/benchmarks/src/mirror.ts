import { join } from "node:path";
import type { HostProcess } from "./host-process.ts";
import { makeToken, openHost } from "./host-process.ts";
import { drive } from "./load.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import { cpuSeconds, peakMib, resetPeak, userCpuSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";
import { openVerdaccio } from "./verdaccio.ts";

type Sizes = { readonly packages: number; readonly rounds: number; readonly seconds: number };

const TARBALL_BYTES = 40_000;
const CONNECTIONS = 16;
const SETTLES_SECONDS = 1;

/**
 * Compares a mirrored document with a local one, and a closure of packages through a cold and a
 * warm mirror with the same closure from the source and through Verdaccio as a mirror.
 */
export async function measureMirror(folder: string, sizes: Sizes): Promise<readonly Result[]> {
  await using source = await openSource(join(folder, "source"), sizes.packages);
  const names = Array.from({ length: sizes.packages }, (_, index) => `bench-${index}`);
  const url = `${source.url}/npm/`;
  return [
    await compareDocuments(join(folder, "documents"), url, sizes),
    ...(await compareClosures(folder, { source, url, names, rounds: sizes.rounds })),
  ];
}

async function openSource(folder: string, packages: number): Promise<HostProcess> {
  const token = await makeToken(folder);
  const host = await openHost(folder);
  const feed = { url: `${host.url}/npm`, token };
  for (let index = 0; index < packages; index += 1) {
    const name = `bench-${index}`;
    await publishNpmVersion(feed, { name, version: "1.0.0", bytes: TARBALL_BYTES });
  }
  return host;
}

function mirrorOf(folder: string, url: string): Promise<HostProcess> {
  return openHost(folder, {
    env: {
      PackageSources__0__Name: "source",
      PackageSources__0__Protocol: "npm",
      PackageSources__0__FeedUrl: url,
      PackageSources__0__AllowPrivateNetwork: "true",
    },
  });
}

/** CPU time in user mode of a read of a mirrored and of a local packument, by turns. */
async function compareDocuments(
  folder: string,
  url: string,
  { rounds, seconds }: Sizes,
): Promise<Result> {
  const token = await makeToken(folder);
  await using mirror = await mirrorOf(folder, url);
  const feed = { url: `${mirror.url}/npm`, token };
  await publishNpmVersion(feed, { name: "local-1", version: "1.0.0", bytes: TARBALL_BYTES });
  const cost = async (name: string): Promise<number> => {
    const target = `${mirror.url}/npm/${name}`;
    await drive(target, SETTLES_SECONDS);
    const before = userCpuSeconds(mirror.pid);
    const { requestsPerSecond } = await drive(target, seconds);
    return ((userCpuSeconds(mirror.pid) - before) / (requestsPerSecond * seconds)) * 1e6;
  };
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = round % 2 === 0 ? ["bench-1", "local-1"] : ["local-1", "bench-1"];
    const costs = [await cost(first ?? ""), await cost(second ?? "")] as const;
    const [mirrored, local] = round % 2 === 0 ? costs : [costs[1], costs[0]];
    ratios.push(mirrored / local);
  }
  return {
    what: "npm: mirrored packument, compared with a local one",
    figure: median(ratios),
    unit: "times its CPU in user mode",
    budget: 1.1,
    bound: "at most",
    remark: `median of ${rounds} pairs`,
  };
}

type Closure = {
  readonly source: HostProcess;
  readonly url: string;
  readonly names: readonly string[];
  readonly rounds: number;
};

type Cost = { readonly seconds: number; readonly cpuSeconds: number; readonly peakMib: number };

async function compareClosures(
  folder: string,
  { source, url, names, rounds }: Closure,
): Promise<readonly Result[]> {
  const direct: number[] = [];
  const cold: Cost[] = [];
  const warm: number[] = [];
  const peer: Cost[] = [];
  await closureCost(`${source.url}/npm`, source.pid, names);
  for (let round = 0; round < rounds; round += 1) {
    direct.push((await closureCost(`${source.url}/npm`, source.pid, names)).seconds);
    {
      await using mirror = await mirrorOf(join(folder, `mirror-${round}`), url);
      cold.push(await closureCost(`${mirror.url}/npm`, mirror.pid, names));
      warm.push((await closureCost(`${mirror.url}/npm`, mirror.pid, names)).seconds);
    }
    await using verdaccio = await openVerdaccio(join(folder, `verdaccio-${round}`), url);
    peer.push(await closureCost(verdaccio.url, verdaccio.pid, names));
  }
  const base = median(direct);
  const of = (costs: readonly Cost[], figure: keyof Cost) =>
    median(costs.map((cost) => cost[figure]));
  const what = `npm: ${names.length} packages`;
  const remark = `median of ${rounds}; ${base.toFixed(2)} s from the source`;
  const atMost = { bound: "at most", remark } as const;
  const peerTimes = "times that of Verdaccio as a mirror";
  return [
    {
      ...atMost,
      what: `${what} through a cold mirror`,
      figure: of(cold, "seconds") / base,
      unit: "times the source",
      budget: 1.3,
    },
    {
      ...atMost,
      what: `${what} through a warm mirror`,
      figure: median(warm) / base,
      unit: "times the source",
      budget: 1.1,
    },
    {
      ...atMost,
      what: `${what} through a cold mirror, CPU`,
      figure: of(cold, "cpuSeconds") / of(peer, "cpuSeconds"),
      unit: peerTimes,
      budget: 1,
    },
    {
      ...atMost,
      what: `${what} through a cold mirror, peak memory`,
      figure: of(cold, "peakMib") / of(peer, "peakMib"),
      unit: peerTimes,
      budget: 1,
    },
  ];
}

/** Fetches the packument and the tarball of each package, 16 packages at once. */
async function closureCost(registry: string, pid: number, names: readonly string[]): Promise<Cost> {
  const waiting = names.values();
  const fetchOne = async (path: string) => {
    const response = await fetch(`${registry}/${path}`);
    if (!response.ok) throw new Error(`${registry}/${path} answered ${response.status}`);
    await response.arrayBuffer();
  };
  const worker = async () => {
    for (const name of waiting) {
      await fetchOne(name);
      await fetchOne(`${name}/-/${name}-1.0.0.tgz`);
    }
  };
  resetPeak(pid);
  const before = cpuSeconds(pid);
  const startMs = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return {
    seconds: (performance.now() - startMs) / 1000,
    cpuSeconds: cpuSeconds(pid) - before,
    peakMib: peakMib(pid),
  };
}
