import { publishNpmVersion } from "./npm-packages.ts";
import type { NpmFeed } from "./npm-packages.ts";
import { cpuSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";
import { openVerdaccio } from "./verdaccio.ts";

type Side = NpmFeed & { readonly pid: number };
type Case = {
  readonly what: string;
  readonly name: string;
  readonly bytes: number;
  /** Publishes of each side in each round. */
  readonly count: number;
  readonly rounds: number;
  /** The ratio of Verdaccio's CPU time to ours. */
  readonly goal: number;
};

export type PeerPublishSizes = {
  readonly packages: number;
  readonly rounds: number;
  readonly tarballMib: number;
};

const SMALL = 10_000;

/** Publishes to the host and to Verdaccio in turn: CPU time of the server for each publish. */
export async function comparePublishes(
  ours: Side,
  { folder, packages, rounds, tarballMib }: PeerPublishSizes & { readonly folder: string },
): Promise<readonly Result[]> {
  await using peer = await openVerdaccio(folder);
  const cases: readonly Case[] = [
    { what: "a 10 KB package", name: "peer-small", bytes: SMALL, count: packages, rounds, goal: 2 },
    {
      what: `a ${tarballMib} MiB package`,
      name: "peer-large",
      bytes: tarballMib * 1024 * 1024,
      count: 1,
      rounds,
      goal: 1,
    },
  ];
  const results: Result[] = [];
  for (const entry of cases) results.push(await compare(entry, ours, peer));
  return results;
}

async function compare(entry: Case, ours: Side, peer: Side): Promise<Result> {
  // The first publish of a size loads code and grows buffers.
  for (const side of [ours, peer]) {
    await publishNpmVersion(side, {
      name: `${entry.name}-first`,
      version: "1.0.0",
      bytes: entry.bytes,
    });
  }
  const pairs: { readonly ours: number; readonly peer: number }[] = [];
  for (let round = 0; round < entry.rounds; round += 1) {
    const theirs = await cpuMsOf(peer, entry, round);
    pairs.push({ peer: theirs, ours: await cpuMsOf(ours, entry, round) });
  }
  const of = (side: "ours" | "peer"): string => median(pairs.map((pair) => pair[side])).toFixed(1);
  return {
    what: `npm publish of ${entry.what}`,
    figure: median(pairs.map((pair) => pair.peer / pair.ours)),
    unit: "times less CPU than Verdaccio",
    budget: entry.goal,
    bound: "at least",
    remark: [
      `median of ${entry.rounds} pairs of ${entry.count}`,
      `${of("ours")} against ${of("peer")} ms each`,
    ].join("; "),
  };
}

async function cpuMsOf(side: Side, { name, bytes, count }: Case, round: number): Promise<number> {
  const before = cpuSeconds(side.pid);
  for (let index = 0; index < count; index += 1) {
    const version = { name: `${name}-${round}-${index}`, version: "1.0.0", bytes };
    await publishNpmVersion(side, version);
  }
  return ((cpuSeconds(side.pid) - before) / count) * 1_000;
}
