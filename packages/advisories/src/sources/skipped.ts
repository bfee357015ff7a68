/** Number of problems in an import, and the first of them. */
export type Skipped = { readonly count: number; readonly reasons: readonly string[] };

export type SkippedList = {
  add(...reasons: readonly string[]): void;
  list(): Skipped;
};

const REASONS_MAX = 20;

export function createSkippedList(): SkippedList {
  const reasons: string[] = [];
  let count = 0;
  return {
    add(...more) {
      count += more.length;
      reasons.push(...more.slice(0, REASONS_MAX - reasons.length));
    },
    list: () => ({ count, reasons: [...reasons] }),
  };
}
