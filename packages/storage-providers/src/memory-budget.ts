/** Permission to use `bytes` of memory until disposal. Repeated disposal has no effect. */
export type MemoryLease = Disposable & { readonly bytes: number };

export type MemoryBudgetOptions = {
  readonly much: number;
  readonly little: number;
  /** Maximum total of leases; beyond it, each lease gets `little`. */
  readonly bytesMax: number;
};

/**
 * Creates a memory budget for concurrent work in this process. The first leases are large, because
 * large steps are cheaper; later ones are small. It only counts; callers allocate the memory.
 */
export function createMemoryBudget({
  much,
  little,
  bytesMax,
}: MemoryBudgetOptions): () => MemoryLease {
  let lent = 0;
  return () => {
    const bytes = lent + much > bytesMax ? little : much;
    lent += bytes;
    let isLent = true;
    return {
      bytes,
      [Symbol.dispose]() {
        if (isLent) lent -= bytes;
        isLent = false;
      },
    };
  };
}
