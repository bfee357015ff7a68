import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createTestFeed } from "../test-feed.ts";
import type { TestFeed } from "../test-feed.ts";
import { mutate, mutateManifest } from "./mutate.ts";
import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";
import { MANIFEST, fileEntries } from "./seeds.ts";
import type { Seed } from "./seeds.ts";

export type FuzzOptions = {
  readonly seeds: readonly [Seed, ...Seed[]];
  readonly durationMs: number;
  /** Default: as many as there is time for. */
  readonly casesMax?: number;
  /** Default: one over memory ports. */
  readonly createFeed?: () => TestFeed;
  /** The same number gives the same cases. */
  readonly seed: number;
};

/** A violation, with the bytes that caused it. */
export type FuzzFailure = {
  /** Run again with this number as seed, and it is the first case. */
  readonly seed: number;
  readonly what: string;
  readonly bytes: Uint8Array;
  readonly path: string;
};

export type FuzzReport = {
  readonly cases: number;
  readonly accepted: number;
  readonly refused: number;
  /** Limit of one case in CPU time, so that a busy machine does not matter. */
  readonly slowestMs: number;
  /** Limit of live memory, after a garbage collection. */
  readonly grownBytes: number;
  readonly failures: readonly FuzzFailure[];
};

const PACKAGE_BYTES_MAX = 64 * 1024 ** 2;
const CASE_MS_MAX = 2_000;
const GROWN_BYTES_MAX = 64 * 1024 ** 2;
/** Feeds keep accepted packages, so new feeds are opened before memory counts as growth. */
const CASES_PER_FEED = 200;
const FAILURES_MAX = 20;
const EXPECTED = new Set([201, 400, 404, 409, 413]);

/**
 * Pushes mutated packages to a feed over memory ports and reads back what it took. Every answer
 * must be one of those a client understands, with a reason, in time, and nothing may pile up.
 */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const end = performance.now() + options.durationMs;
  const failures: FuzzFailure[] = [];
  const totals = { cases: 0, accepted: 0, refused: 0, slowestMs: 0 };
  const { casesMax = Number.POSITIVE_INFINITY, createFeed = createFuzzFeed } = options;
  let feed = createFeed();
  await warmUp(feed, options.seeds);
  feed = createFeed();
  const before = liveBytes();
  while (performance.now() < end && totals.cases < casesMax && failures.length < FAILURES_MAX) {
    if (totals.cases % CASES_PER_FEED === 0) feed = createFeed();
    const seed = options.seed + totals.cases;
    const fuzzCase = caseOf(options.seeds, createRandom(seed));
    const outcome = await tryCase(feed, fuzzCase);
    totals.cases += 1;
    totals.slowestMs = Math.max(totals.slowestMs, outcome.cpuMs);
    if (outcome.status === 201) totals.accepted += 1;
    else totals.refused += 1;
    const what = outcome.trouble ?? slowness(outcome.cpuMs);
    if (what !== undefined) failures.push({ seed, what, ...fuzzCase });
  }
  feed = createFeed();
  const grownBytes = liveBytes() - before;
  if (grownBytes > GROWN_BYTES_MAX) {
    const what = `${grownBytes} bytes were still held after ${totals.cases} cases`;
    failures.push({ seed: options.seed, what, bytes: Buffer.of(), path: "" });
  }
  return { ...totals, grownBytes, failures };
}

type Case = { readonly bytes: Uint8Array; readonly path: string };

function caseOf(seeds: FuzzOptions["seeds"], random: Random): Case {
  const seed = random.pick(seeds);
  const isManifest = seed.path === PACKAGE_PATH && random.below(3) === 0;
  const bytes = isManifest
    ? mutateManifest(MANIFEST, fileEntries(random), random)
    : mutate(seed.bytes, random);
  return { bytes, path: seed.path };
}

const PACKAGE_PATH = "/api/v2/package";

function createFuzzFeed(): TestFeed {
  return createTestFeed({}, { overwrites: "always", maxPackageBytes: PACKAGE_BYTES_MAX });
}

/** One-time loads must not count as growth. */
async function warmUp(feed: TestFeed, seeds: FuzzOptions["seeds"]): Promise<void> {
  for (const { bytes, path } of seeds) await tryCase(feed, { bytes, path });
}

type Outcome = {
  readonly status: number | undefined;
  readonly cpuMs: number;
  readonly trouble: string | undefined;
};

async function tryCase(feed: TestFeed, { bytes, path }: Case): Promise<Outcome> {
  const start = process.cpuUsage();
  const cpuMs = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  try {
    const body = Buffer.from(bytes);
    const answer = await feed.app.request(path, { method: "PUT", body });
    const trouble = answerTrouble(answer) ?? (await readBack(feed, answer));
    return { status: answer.status, cpuMs: cpuMs(), trouble };
  } catch (error) {
    const trouble = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { status: undefined, cpuMs: cpuMs(), trouble };
  }
}

function answerTrouble({ status, headers }: Response): string | undefined {
  if (!EXPECTED.has(status)) return `answered with ${status}`;
  const reason = headers.get("x-nuget-warning") ?? "";
  if (status === 400 && reason === "") return "refused without a reason";
  if (/[^\x20-\x7e]/.test(reason)) return `a reason that no header can hold: ${reason}`;
  return undefined;
}

/** Everything that is made from what was just taken. */
async function readBack(feed: TestFeed, answer: Response): Promise<string | undefined> {
  if (answer.status !== 201) return undefined;
  await feed.json("/v3/search?prerelease=true&semVerLevel=2.0.0&take=20");
  const ids = (await feed.json("/v3/autocomplete?prerelease=true&semVerLevel=2.0.0")) as {
    readonly data: readonly string[];
  };
  for (const id of ids.data.map((name) => name.toLowerCase())) {
    await feed.json(`/v3/registration-semver2/${id}/index.json`);
    const { versions } = (await feed.json(`/v3/package/${id}/index.json`)) as {
      readonly versions: readonly string[];
    };
    for (const version of versions) {
      const trouble = await readFiles(feed, id, version);
      if (trouble !== undefined) return trouble;
    }
  }
  return undefined;
}

async function readFiles(feed: TestFeed, id: string, version: string): Promise<string | undefined> {
  for (const file of [`${id}.nuspec`, `${id}.${version}.nupkg`, "readme", "icon", "license"]) {
    const { status } = await feed.get(`/v3/package/${id}/${version}/${file}`);
    if (status !== 200 && status !== 404) return `${file} of ${id} was answered ${status}`;
  }
  return undefined;
}

function slowness(cpuMs: number): string | undefined {
  return cpuMs > CASE_MS_MAX ? `took ${Math.round(cpuMs)} ms of CPU` : undefined;
}

function liveBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") Reflect.apply(collect, undefined, []);
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
