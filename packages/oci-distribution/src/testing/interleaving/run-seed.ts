import type { Digest } from "../../digest.ts";
import type { Client } from "./clients.ts";
import { operations } from "./clients.ts";
import { CLOCK_THRESHOLD_MS, MINIMUM_AGE_MS, collect, collectSomething } from "./collector-task.ts";
import { surfaces } from "./content.ts";
import { isTooSlow, unexpected } from "./failures.ts";
import { Oracle, Violation } from "./oracle.ts";
import type { Random } from "./random.ts";
import { createRandom } from "./random.ts";
import { Crash, Scheduler } from "./scheduler.ts";
import type { Task } from "./scheduler.ts";
import type { SimulatedRegistry } from "./watched-ports.ts";
import { watchedPorts } from "./watched-ports.ts";
import type { Inventory } from "./oracle.ts";

/** Options of a registry. */
export type Simulation = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds by which the clocks of rows may lag behind. */
  readonly clockThresholdMs: number;
  /** Where a catalog without locks lets others in. */
  readonly pause: () => Promise<void>;
};

export type SeedOptions = {
  /** Hears of every step. */
  readonly trace?: (line: string) => void;
};

export type SeedResult = { readonly steps: number; readonly collected: number };

const ROUNDS = 3;
const MINUTE_MS = 60_000;

/** Milliseconds by which the clock may leap forward. */
const LEAPS_MS = [
  MINUTE_MS,
  11 * MINUTE_MS,
  CLOCK_THRESHOLD_MS,
  MINIMUM_AGE_MS - MINUTE_MS,
  MINIMUM_AGE_MS + CLOCK_THRESHOLD_MS + MINUTE_MS,
  2 * MINIMUM_AGE_MS,
] as const;

/**
 * Runs clients and collectors on one registry, interleaved at every await by the seed, with crashes
 * and leaps of the clock. Rejects with a `Violation` when a promise is broken at any instant, or
 * when unneeded content is left at the end.
 */
export async function runSeed(
  seed: number,
  open: (simulation: Simulation) => SimulatedRegistry | Promise<SimulatedRegistry>,
  { trace = () => {} }: SeedOptions = {},
): Promise<SeedResult> {
  const random = createRandom(seed);
  const scheduler = new Scheduler();
  let timeMs = Date.UTC(2026, 0, 1);
  let ids = 0;
  let isChanged = false;
  let failure: unknown;
  const now = () => timeMs;
  const pause = () => scheduler.pause();
  const oracle = new Oracle(now, MINIMUM_AGE_MS);
  const registry = await open({ now, clockThresholdMs: CLOCK_THRESHOLD_MS, pause });
  const watch = { pause, oracle, changed: () => void (isChanged = true) };
  const newId = () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, "0")}`;
  const client: Client = {
    ...watchedPorts(registry, watch),
    random,
    oracle,
    pause,
    now,
    newId,
  };
  let steps = 0;

  const settle = async () => {
    if (failure !== undefined) throw failure;
    if (isChanged) oracle.check(await registry.look());
    isChanged = false;
  };
  const spawn = async (name: string, work: (client: Client) => Promise<void>) => {
    trace(`starts: ${name}`);
    await scheduler.spawn(name, random.pick([1, 1, 3]), async () => {
      try {
        await work(client);
      } catch (error) {
        if (error instanceof Crash || isTooSlow(error)) return;
        failure = unexpected(name, error);
      }
    });
    await settle();
  };
  const leap = () => {
    const ms = random.pick(LEAPS_MS);
    trace(`${ms / MINUTE_MS} minutes pass`);
    timeMs += ms;
  };
  const step = async (task: Task, crash: boolean) => {
    trace(`${crash ? "crashes" : "goes on"}: ${task.name}`);
    steps += 1;
    await scheduler.step(task, crash);
    await settle();
  };
  const finish = async () => {
    for (let [task] = scheduler.tasks; task; [task] = scheduler.tasks) await step(task, false);
  };

  const startOne = () => spawn(...random.pick(operations));
  for (let count = 1 + random.below(3); count > 0; count -= 1) await startOne();
  await finish();
  for (let round = 0; round < ROUNDS; round += 1) {
    if (random.chance(0.8)) leap();
    for (let count = 1 + random.below(3); count > 0; count -= 1) await startOne();
    if (random.chance(0.8)) await spawn("collect", collectSomething);
    if (random.chance(0.2)) await spawn("collect", collectSomething);
    for (let left = 20 + random.below(80); left > 0 && scheduler.tasks.length > 0; left -= 1) {
      if (random.chance(0.02)) leap();
      await step(pickTask(random, scheduler.tasks), random.chance(0.005));
    }
  }
  await finish();

  let collected = 0;
  for (let run = 0; run < 2; run += 1) {
    timeMs += MINIMUM_AGE_MS + 2 * CLOCK_THRESHOLD_MS;
    for (const surface of surfaces) {
      const done = await collect(client, surface, { dryRun: false, pause });
      if (done.status !== "finished") throw new Violation(`the last runs were ${done.status}`);
      collected += done.removed.count;
    }
    await settle();
  }
  checkNothingIsLeft(oracle, await registry.look());
  return { steps, collected };
}

function pickTask({ below }: Random, tasks: readonly Task[]): Task {
  let ticket = below(tasks.reduce((sum, { weight }) => sum + weight, 0));
  const task = tasks.find(({ weight }) => (ticket -= weight) < 0);
  if (!task) throw new RangeError("there is no task");
  return task;
}

/** Everything that is left is needed by something that is reached. Objects without a row are not
 * the collector's: they are what crashed uploads leave to the sweep. */
export function checkNothingIsLeft(oracle: Oracle, inventory: Inventory): void {
  const { repositories, blobs } = inventory;
  const linked = new Set<Digest>();
  for (const [name, { manifests, links }] of repositories) {
    const reached = oracle.reached(name);
    for (const digest of manifests.keys()) {
      if (!reached.has(digest)) throw new Violation(`${name}@${digest} is left`);
    }
    const knownManifests = oracle.repositories.get(name)?.manifests;
    const needed = new Set(
      [...reached]
        .flatMap((digest) => knownManifests?.get(digest)?.manifest.edges ?? [])
        .map(digestOf),
    );
    for (const digest of links.keys()) {
      linked.add(digest);
      if (!needed.has(digest)) throw new Violation(`the link ${name}@${digest} is left`);
    }
  }
  for (const [digest, { state }] of blobs) {
    if (state !== "live") throw new Violation(`${digest} is ${state} still`);
    if (!linked.has(digest)) throw new Violation(`the blob ${digest} is left`);
  }
}

function digestOf({ digest }: { readonly digest: Digest }): Digest {
  return digest;
}
