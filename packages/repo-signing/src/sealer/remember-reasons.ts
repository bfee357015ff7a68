const REASONS_MAX = 10_000;

/** Remembers the newest reasons by their key, and forgets the oldest. */
export function rememberReasons(countMax = REASONS_MAX): {
  add(key: string, reason: string): void;
  find(key: string): string | undefined;
} {
  const reasons = new Map<string, string>();
  return {
    add(key, reason) {
      reasons.set(key, reason);
      const [oldest] = reasons.keys();
      if (reasons.size > countMax && oldest !== undefined) reasons.delete(oldest);
    },
    find: (key) => reasons.get(key),
  };
}
