import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openDockerRegistry } from "./docker-registry.ts";
import { makeToken, openHost } from "./host-process.ts";
import { fillWithImages, syncWithSkopeo, untilPointed } from "./promotion-images.ts";
import type { SourceImage } from "./promotion-images.ts";
import { measurePackages } from "./promotion-packages.ts";
import { addGroup, addTarget, promote, promoteInHost } from "./promotion-run.ts";
import type { Promoted } from "./promotion-run.ts";
import { peakMib, residentMib, resetPeak, untilIdle } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

type Sizes = {
  readonly images: number;
  /** Size of all layers together. */
  readonly mib: number;
  readonly rounds: number;
  /** Packages of each protocol. */
  readonly packages: number;
};

type Round = {
  readonly first: Promoted;
  readonly second: Promoted;
  /** Requests at the target while the release was promoted a second time. */
  readonly requests: readonly string[];
  readonly skopeoSeconds: number;
};

/** Releases to other registries: images to docker-registry, by turns with skopeo, and small
 * packages to a second host. */
export async function measurePromotion(folder: string, sizes: Sizes): Promise<readonly Result[]> {
  const data = join(folder, "data");
  const token = await makeToken(data);
  await using host = await openHost(data, { logTo: join(folder, "host.log") });
  const packages = await measurePackages(host, token, { folder, count: sizes.packages });
  const images = await fillWithImages({ folder, url: host.url, token }, sizes);
  const place = { folder, url: host.url, pid: host.pid };
  const hostMib = await measureInHost(place, images);
  const rounds: Round[] = [];
  for (let round = 1; round <= sizes.rounds; round += 1) {
    const measured = await measureRound(place, images, round);
    await rm(join(folder, "targets"), { recursive: true, force: true });
    if (!measured) {
      console.log("docker-registry or skopeo is not on this machine: no images are promoted");
      return packages;
    }
    rounds.push(measured);
  }
  return [...packages, ...resultsOf(rounds, sizes, hostMib)];
}

type Place = { readonly folder: string; readonly url: string; readonly pid: number };

/** MiB that the host needs over rest for a release that it carries out itself. */
async function measureInHost(
  { folder, pid }: Place,
  images: readonly SourceImage[],
): Promise<number> {
  await using target = await openDockerRegistry(join(folder, "targets", "of-host"));
  if (!target) return Number.NaN;
  const data = join(folder, "data");
  await addTarget(data, { name: "of-host", protocol: "oci", endpoint: target.url });
  await addGroup(data, { name: "of-host", members: ["oci:bench/*"], target: "of-host" });
  await untilIdle(pid);
  const rest = residentMib(pid);
  resetPeak(pid);
  await promoteInHost(data, "of-host");
  await untilPointed(target.url, images);
  return peakMib(pid) - rest;
}

async function measureRound(
  { folder, url }: Place,
  images: readonly SourceImage[],
  round: number,
): Promise<Round | undefined> {
  const logTo = join(folder, `target-${round}.log`);
  const otherLog = join(folder, "skopeo.log");
  await using target = await openDockerRegistry(join(folder, "targets", "own"), { logTo });
  await using other = await openDockerRegistry(join(folder, "targets", "skopeo"), {
    logTo: otherLog,
  });
  if (!target || !other) return undefined;
  const data = join(folder, "data");
  const name = `images-${round}`;
  await addTarget(data, { name, protocol: "oci", endpoint: target.url });
  await addGroup(data, { name, members: ["oci:bench/*"], target: name });
  const copy = () => syncWithSkopeo({ folder, from: url, to: other.url }, images);
  // Who comes first changes from round to round.
  const early = round % 2 === 0 ? await copy() : undefined;
  const first = await promote(data, name);
  const skopeoSeconds = early ?? (await copy());
  if (skopeoSeconds === undefined) return undefined;
  const before = requestsIn(logTo).length;
  const second = await promote(data, name);
  return { first, second, requests: requestsIn(logTo).slice(before), skopeoSeconds };
}

/** Method and path of each line of an access log. */
function requestsIn(path: string): readonly string[] {
  const lines = readFileSync(path, "utf8").matchAll(/"([A-Z]+ \S+) HTTP/g);
  return Array.from(lines, ([, line = ""]) => line);
}

const COPY_BUDGET = 0.8;
const MEMORY_BUDGET_MIB = 64;
const REQUESTS_BUDGET = 2;

function resultsOf(
  rounds: readonly Round[],
  { images, mib }: Sizes,
  hostMib: number,
): readonly Result[] {
  const what = `promotion: ${images} images with ${mib} MiB of layers`;
  const seconds = median(rounds.map(({ first }) => first.seconds));
  const theirs = median(rounds.map(({ skopeoSeconds }) => skopeoSeconds));
  const again = median(rounds.map(({ second }) => second.seconds));
  const requests = median(rounds.map((round) => round.requests.length)) / images;
  return [
    {
      what: `${what}, speed`,
      figure: median(rounds.map(({ first, skopeoSeconds }) => skopeoSeconds / first.seconds)),
      unit: "times that of skopeo sync",
      budget: COPY_BUDGET,
      bound: "at least",
      remark: `${seconds.toFixed(1)} against ${theirs.toFixed(1)} s`,
    },
    {
      what: `${what}, peak memory over that of the second promotion, which sends nothing`,
      figure: median(rounds.map(({ first, second }) => first.peakMib - second.peakMib)),
      unit: "MiB",
      budget: MEMORY_BUDGET_MIB,
      bound: "at most",
      remark: `${median(rounds.map(({ first }) => first.peakMib)).toFixed(0)} MiB in all`,
    },
    {
      what: `${what}, peak memory over rest of a host that carries it out`,
      figure: hostMib,
      unit: "MiB",
      budget: MEMORY_BUDGET_MIB,
      bound: "at most",
    },
    {
      what: `${what}, second promotion`,
      figure: requests,
      unit: "requests for each manifest",
      budget: REQUESTS_BUDGET,
      bound: "at most",
      remark: `${kindsOf(rounds.at(-1)?.requests ?? [])}; ${again.toFixed(1)} s`,
    },
  ];
}

/** Counts the requests of each kind: `HEAD manifests 100`. */
function kindsOf(requests: readonly string[]): string {
  const kinds = Map.groupBy(requests, (line) => {
    const [, method = "", kind = "other"] =
      /^([A-Z]+) .*?\/(manifests|blobs|referrers)\//.exec(line) ?? [];
    return `${method} ${kind}`;
  });
  return Array.from(kinds, ([kind, lines]) => `${kind} ${lines.length}`).join(", ");
}
