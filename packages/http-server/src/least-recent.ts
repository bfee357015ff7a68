export type LeastRecent = {
  /** Whether the text is in the set; it is then the one used last. */
  use(text: string): boolean;
  add(text: string): void;
};

/** A set of `max` texts; one more takes the place of the text that was not used for longest. */
export function createLeastRecent(max: number): LeastRecent {
  // A Set keeps its order of insertion.
  const texts = new Set<string>();
  let latest = "";
  const touch = (text: string): void => {
    texts.delete(text);
    texts.add(text);
    latest = text;
  };
  return {
    use(text) {
      if (!texts.has(text)) return false;
      if (text !== latest) touch(text);
      return true;
    },
    add(text) {
      touch(text);
      const [oldest] = texts;
      if (texts.size > max && oldest !== undefined) texts.delete(oldest);
    },
  };
}
