const RECENT_MS = 5 * 60_000;
const NAMES_MAX = 2;

/** Remembers which names a source has answered for. */
export type RecentAnswers = {
  note(source: string, name: string): void;
  /** Whether the source has answered for another name within five minutes. */
  hasOther(source: string, name: string): boolean;
};

export function createRecentAnswers(now: () => Date): RecentAnswers {
  /** The last two names of each source, with their times. */
  const bySource = new Map<string, ReadonlyMap<string, number>>();
  return {
    note(source, name) {
      const before = [...(bySource.get(source) ?? [])].filter(([other]) => other !== name);
      const last = [...before.slice(1 - NAMES_MAX), [name, now().getTime()] as const];
      bySource.set(source, new Map(last));
    },
    hasOther(source, name) {
      const since = now().getTime() - RECENT_MS;
      const names = [...(bySource.get(source) ?? [])];
      return names.some(([other, time]) => other !== name && time >= since);
    },
  };
}
