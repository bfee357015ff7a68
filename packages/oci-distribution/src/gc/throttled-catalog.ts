import { setTimeout as delay } from "node:timers/promises";
import type { GarbageCatalog } from "./ports.ts";

/**
 * Pauses after every step for as long as the step took. The database and the processor are then
 * free for requests half of the time, and the pauses grow with the load.
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
      forgetEmpty: (...step) => thenRest(() => sweeps.forgetEmpty(...step)),
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
