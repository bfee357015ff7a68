import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openTestPlace, testableDatabases } from "@sealhouse/database/testing";
import { makeToken, openHost } from "./host-process.ts";
import { drive } from "./load.ts";
import { databaseSettings } from "./npm-databases.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import type { NpmFeed } from "./npm-packages.ts";
import { cpuSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

const BUDGET = 1.2;
const PUBLISHES_PER_SECOND = 20;

/**
 * Reads of one packument with a token on PostgreSQL while a second host publishes other packages,
 * compared with the same reads while nothing is written, by turns: CPU of the host that is read.
 */
export async function measureHotWhilePublished(
  folder: string,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly Result[]> {
  if (!testableDatabases().includes("PostgreSQL")) return [];
  await using place = await openTestPlace("PostgreSQL");
  const env = databaseSettings(place);
  const data = join(folder, "shared");
  const token = await makeToken(data, env);
  await using host = await openHost(data, { env });
  await using other = await openHost(data, { env });
  const writer = { url: `${other.url}/npm`, token };
  await publishNpmVersion(writer, { name: "bench-hot", version: "1.0.0", bytes: 9_000 });
  const headers = { accept: "application/json", authorization: `Bearer ${token}` };
  const cost = async () => {
    const before = cpuSeconds(host.pid);
    const { requestsPerSecond } = await drive(`${host.url}/npm/bench-hot`, seconds, { headers });
    return ((cpuSeconds(host.pid) - before) / (requestsPerSecond * seconds)) * 1e6;
  };
  await cost();
  const pairs: { readonly idle: number; readonly busy: number; readonly rate: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const idle = await cost();
    const publishing = publishUntilStopped(writer, round);
    const busy = await cost();
    pairs.push({ idle, busy, rate: (await publishing.stop()) / seconds });
  }
  const of = (side: "idle" | "busy" | "rate") => median(pairs.map((pair) => pair[side])).toFixed(0);
  return [
    {
      what: "npm: packument with a token on PostgreSQL while others are published",
      figure: median(pairs.map((pair) => pair.busy / pair.idle)),
      unit: "times the host's CPU while nothing is written",
      budget: BUDGET,
      bound: "at most",
      remark: [
        `median of ${rounds} pairs`,
        `${of("busy")} against ${of("idle")} us, ${of("rate")} publishes/s`,
      ].join("; "),
    },
  ];
}

/** Publishes at a steady rate, as far as the machine keeps up. */
function publishUntilStopped(feed: NpmFeed, round: number) {
  const publishes: Promise<void>[] = [];
  const stopped = new AbortController();
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const name = `bench-other-${round}-${publishes.length}`;
      publishes.push(publishNpmVersion(feed, { name, version: "1.0.0", bytes: 1_000 }));
      await delay(1_000 / PUBLISHES_PER_SECOND);
    }
  })();
  return {
    async stop(): Promise<number> {
      stopped.abort();
      await running;
      await Promise.all(publishes);
      return publishes.length;
    },
  };
}
