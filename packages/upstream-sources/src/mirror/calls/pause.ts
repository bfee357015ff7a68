const PAUSE_MAX_MS = 5 * 60_000;

/** A pause that a source asked for. */
export type Pause = {
  /** Milliseconds until its end; 0 without one. */
  leftMs(): number;
  /** Begins a pause of up to five minutes. */
  begin(ms: number): void;
};

export function createPause(now: () => Date): Pause {
  let until = 0;
  return {
    leftMs: () => Math.max(0, until - now().getTime()),
    begin(ms) {
      until = now().getTime() + Math.min(ms, PAUSE_MAX_MS);
    },
  };
}
