import { setImmediate as turn } from "node:timers/promises";
import type { ReleaseRows } from "./ports.ts";
import type { ReleaseItem } from "../model/release.ts";

/** Saves an item; resolves when its transaction is committed. */
export type SaveItem = (item: ReleaseItem) => Promise<void>;

type Waiting = PromiseWithResolvers<void> & { readonly item: ReleaseItem };

/**
 * Saves the items of a release. Items that come while a transaction runs, or in the same turn of
 * the event loop, share the next one. When that fails, each of its items is saved alone, so that
 * none is lost with another.
 */
export function savesTogether(rows: Pick<ReleaseRows, "saveItems">, release: string): SaveItem {
  let waiting: Waiting[] = [];
  let isRunning = false;
  const saveAlone = ({ item, resolve, reject }: Waiting) =>
    rows.saveItems(release, [item]).then(resolve, reject);
  const saveAll = async (batch: readonly Waiting[]) => {
    const [first] = batch;
    if (first && batch.length === 1) return saveAlone(first);
    const items = batch.map(({ item }) => item);
    try {
      await rows.saveItems(release, items);
      for (const { resolve } of batch) resolve();
    } catch {
      for (const one of batch) await saveAlone(one);
    }
  };
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      await turn();
      const batch = waiting;
      waiting = [];
      await saveAll(batch);
    }
    isRunning = false;
  };
  return (item) => {
    const saved = { item, ...Promise.withResolvers<void>() };
    waiting.push(saved);
    if (!isRunning) void run();
    return saved.promise;
  };
}
