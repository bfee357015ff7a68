import { LostLeaseError } from "@sealhouse/jobs";
import { collectGarbage } from "../../gc/collect.ts";
import type { Collected } from "../../gc/collect.ts";
import type { GarbageFiles } from "../../gc/ports.ts";
import type { Client } from "./clients.ts";
import { surfaces } from "./content.ts";
import { Violation } from "./oracle.ts";
import type { Random } from "./random.ts";

export const MINIMUM_AGE_MS = 24 * 3_600_000;
export const CLOCK_THRESHOLD_MS = MINIMUM_AGE_MS / 8;

/** One run over a surface; deletions of objects sometimes fail, or succeed without an answer. */
export async function collectSomething(client: Client): Promise<void> {
  const { random } = client;
  const files = unreliable(client.files, random);
  const stop = new AbortController();
  try {
    await collect({ ...client, files: { ...client.files, ...files } }, random.pick(surfaces), {
      dryRun: random.chance(0.1),
      signal: stop.signal,
      pause: async () => {
        await client.pause();
        if (random.chance(0.02)) stop.abort();
      },
    });
  } catch (error) {
    if (!(error instanceof LostLeaseError)) throw error;
  }
}

/** Nothing that is reachable may ever be broken, so no run may abort. */
export async function collect(
  { garbage, files, leases, now, newId }: Client,
  surface: (typeof surfaces)[number],
  options: {
    readonly dryRun: boolean;
    readonly signal?: AbortSignal;
    readonly pause: () => Promise<void>;
  },
): Promise<Collected> {
  const collected = await collectGarbage(
    { catalog: garbage, files, leases },
    {
      ...options,
      surface,
      minimumAgeMs: MINIMUM_AGE_MS,
      clockThresholdMs: CLOCK_THRESHOLD_MS,
      now,
      newId,
    },
  );
  if (collected.status === "aborted") throw new Violation(`a run aborted: ${collected.error}`);
  return collected;
}

function unreliable(files: GarbageFiles, random: Random): GarbageFiles {
  return {
    async delete(key) {
      const fate = random.fraction();
      if (fate < 0.9) await files.delete(key);
      if (fate < 0.8) return;
      throw new Error(`nobody knows whether ${key} is deleted`);
    },
  };
}
