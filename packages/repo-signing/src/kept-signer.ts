import type { Signer } from "./ports.ts";
import { sameBytes } from "./hash.ts";

export type KeptSigner = AsyncDisposable & {
  readonly signer: () => Promise<Signer>;
};

/**
 * Keeps a signer open for as long as it is used, and opens it again from time to time, so that a
 * new certificate is noticed without a restart. A reopening that fails is reported, and the signer
 * that is open stays; the first opening must succeed.
 */
export function keepSigner(options: {
  readonly open: () => Promise<Signer & Partial<AsyncDisposable>>;
  readonly reopenEveryMs: number;
  /** What tells one state of key and certificate from the next where asking is cheap, such as the
   * time of a file. Asked before every use; after a change the caller waits for the reopening.
   * Undefined, or an error: cannot be told now. */
  readonly version?: () => Promise<string | undefined>;
  readonly now: () => Date;
  /** Told when reopening fails. */
  readonly report: (error: unknown) => void;
}): KeptSigner {
  const { reopenEveryMs, now, report } = options;
  const opened: (Signer & Partial<AsyncDisposable>)[] = [];
  let current: Promise<Signer> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const open = async (): Promise<Signer> => {
    const signer = await options.open();
    opened.push(signer);
    return signer;
  };
  const reopened = async (held: Signer): Promise<Signer> => {
    try {
      const signer = await options.open();
      if (!isSame(held, signer)) {
        opened.push(signer);
        return signer;
      }
      await signer[Symbol.asyncDispose]?.();
    } catch (error) {
      report(error);
    }
    return held;
  };
  const keepUnlessFailed = (next: Promise<Signer>): Promise<Signer> => {
    current = next;
    // The next caller tries again.
    next.catch(() => {
      if (current === next) current = undefined;
    });
    return next;
  };
  let seenVersion: string | undefined;
  return {
    async signer() {
      const version = await options.version?.().catch(() => undefined);
      const at = now().getTime();
      const isNewVersion = version !== undefined && version !== seenVersion;
      if (isNewVersion) seenVersion = version;
      if (!current || isNewVersion) {
        checkedAt = at;
        return keepUnlessFailed(current ? current.then(reopened) : open());
      }
      const looking = current;
      if (Math.abs(at - checkedAt) < reopenEveryMs) return looking;
      checkedAt = at;
      const held = await looking;
      // Nobody waits for it: the one that is open signs meanwhile.
      void reopened(held).then((signer) => {
        if (signer !== held && current === looking) current = Promise.resolve(signer);
      });
      return held;
    },
    async [Symbol.asyncDispose]() {
      for (const signer of opened.splice(0).toReversed()) await signer[Symbol.asyncDispose]?.();
    },
  };
}

/** The same certificates in the same order, and the same way to sign. */
function isSame(one: Signer, other: Signer): boolean {
  return (
    one.hash === other.hash &&
    one.scheme === other.scheme &&
    one.chain.length === other.chain.length &&
    one.chain.every((der, index) => sameBytes(der, other.chain[index] ?? new Uint8Array()))
  );
}
