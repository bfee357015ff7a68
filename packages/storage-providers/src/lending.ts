/** So many bytes, until it is disposed of; to do so again does no harm. */
export type Loan = Disposable & { readonly bytes: number };

export type LendingOptions = {
  readonly much: number;
  readonly little: number;
  /** Lent at a time, however many borrow: beyond it, each gets `little`. */
  readonly bytesMax: number;
};

/** Shares memory between all that goes on at the same time in this process: few get much of it,
 * because large steps cost less, and many get little. Counts only; the memory is the borrower's. */
export function createLending({ much, little, bytesMax }: LendingOptions): () => Loan {
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
