import type { RenderedReadme } from "./readme-text.ts";

export type RecentReadmes = {
  get(key: string): RenderedReadme | undefined;
  add(key: string, rendered: RenderedReadme): void;
};

type Entry = { readonly rendered: RenderedReadme; readonly until: number };

/** Approximate overhead of a cache entry, in characters. */
const ENTRY_LENGTH = 1024;

/** Creates a least-recently-used cache, limited by the total length of its results. */
export function createRecentReadmes(limits: {
  readonly lengthMax: number;
  readonly failureMs: number;
}): RecentReadmes {
  const entries = new Map<string, Entry>();
  let length = 0;
  const remove = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    if (entry) length -= lengthOf(entry);
    entries.delete(key);
    return entry;
  };
  const put = (key: string, entry: Entry): void => {
    entries.set(key, entry);
    length += lengthOf(entry);
  };
  return {
    get(key) {
      const entry = remove(key);
      if (!entry || entry.until < performance.now()) return undefined;
      put(key, entry);
      return entry.rendered;
    },
    add(key, rendered) {
      remove(key);
      const isLasting = rendered.status === "html";
      put(key, { rendered, until: isLasting ? Infinity : performance.now() + limits.failureMs });
      for (const oldest of entries.keys()) {
        if (length <= limits.lengthMax) return;
        remove(oldest);
      }
    },
  };
}

function lengthOf({ rendered }: Entry): number {
  return ENTRY_LENGTH + (rendered.status === "html" ? rendered.html.length : 0);
}
