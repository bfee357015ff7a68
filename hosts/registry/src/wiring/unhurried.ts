import { setTimeout as delay } from "node:timers/promises";
import type { GarbageCatalog } from "@sealhouse/oci-distribution";

/**
 * Rests after every step for as long as the step took, so that the database and the processor are
 * free for others half of the time; the busier they are, the longer both take.
 */
export function unhurried(catalog: GarbageCatalog): GarbageCatalog {
  return {
    ...catalog,
    mark: (...asked) => thenRest(() => catalog.mark(...asked)),
    markLinks: (...asked) => thenRest(() => catalog.markLinks(...asked)),
    markBlobs: (...asked) => thenRest(() => catalog.markBlobs(...asked)),
    removeManifest: (...asked) => thenRest(() => catalog.removeManifest(...asked)),
    removeLink: (...asked) => thenRest(() => catalog.removeLink(...asked)),
    claimBlob: (...asked) => thenRest(() => catalog.claimBlob(...asked)),
    forgetBlob: (...asked) => thenRest(() => catalog.forgetBlob(...asked)),
  };
}

async function thenRest<T>(step: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const done = await step();
  await delay(performance.now() - startedAt);
  return done;
}
