import { setTimeout as delay } from "node:timers/promises";
import type { GarbageCatalog } from "./ports.ts";

/**
 * Rests after every step for as long as the step took, so that the database and the processor are
 * free for others half of the time; the busier they are, the longer both take.
 */
export function throttledCatalog(catalog: GarbageCatalog): GarbageCatalog {
  const { marks, sweeps } = catalog;
  return {
    ...catalog,
    marks: {
      ...marks,
      mark: (...step) => thenRest(() => marks.mark(...step)),
      markLinks: (...step) => thenRest(() => marks.markLinks(...step)),
      markBlobs: (...step) => thenRest(() => marks.markBlobs(...step)),
    },
    sweeps: {
      ...sweeps,
      removeManifest: (...step) => thenRest(() => sweeps.removeManifest(...step)),
      removeLink: (...step) => thenRest(() => sweeps.removeLink(...step)),
      claimBlob: (...step) => thenRest(() => sweeps.claimBlob(...step)),
      forgetBlob: (...step) => thenRest(() => sweeps.forgetBlob(...step)),
    },
  };
}

async function thenRest<T>(step: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const done = await step();
  await delay(performance.now() - startedAt);
  return done;
}
