/** Rule R1: a positive answer moves the clock, unless it was moved less than `thresholdMs` ago. */
export type Clock = { readonly now: () => Date; readonly thresholdMs: number };

/** Whether a row touched at that time must be touched again before the answer may be positive. */
export function isDue(touchedAt: Date, { now, thresholdMs }: Clock): boolean {
  return now().getTime() - touchedAt.getTime() >= thresholdMs;
}
