/** Texts that were used once, of which the last `most` are remembered by this process. */
export type UsedStates = {
  /** False when the text is in use or was used. */
  begin(state: string): boolean;
  /** Allows the use again, after a failure that says nothing about it. */
  forget(state: string): void;
};

/** Creates an empty memory. */
export function createUsedStates(most: number): UsedStates {
  const states = new Set<string>();
  return {
    begin(state) {
      if (states.has(state)) return false;
      states.add(state);
      const [oldest] = states;
      if (states.size > most && oldest !== undefined) states.delete(oldest);
      return true;
    },
    forget: (state) => void states.delete(state),
  };
}
