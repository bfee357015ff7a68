import type { Signer } from "../ports.ts";
import { sameBytes } from "../hash.ts";

/** An open signer that is reopened regularly. Disposal closes it. */
export type RefreshingSigner = AsyncDisposable & {
  readonly signer: () => Promise<Signer>;
};

/** Options of `createRefreshingSigner`. */
export type RefreshingSignerOptions = {
  readonly open: () => Promise<Signer & Partial<AsyncDisposable>>;
  readonly reopenEveryMs: number;
  /**
   * Cheap mark of the state of key and certificate, such as the time of a file. Read before every
   * use; after a change the caller waits for the reopening. Undefined, or an error: unknown now.
   */
  readonly version?: () => Promise<string | undefined>;
  /** From when a new certificate that a reopening finds signs, while the one that is open still
   * can. Default: at once. */
  readonly signsFrom?: (next: Signer, predecessor: Signer) => Promise<Date>;
  readonly now: () => Date;
  /** Told when reopening fails. */
  readonly report: (error: unknown) => void;
};

/**
 * Keeps a signer open while it is used, and reopens it regularly, so that it uses a new certificate
 * without a restart. A failed reopening is reported, and the open signer stays; the first opening
 * must succeed.
 */
export function createRefreshingSigner(options: RefreshingSignerOptions): RefreshingSigner {
  const { reopenEveryMs, now, report } = options;
  const opened: (Signer & Partial<AsyncDisposable>)[] = [];
  let current: Promise<Signer> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const open = async (): Promise<Signer> => {
    const signer = await options.open();
    opened.push(signer);
    return signer;
  };
  let waiting: Waiting | undefined;
  const reopened = async (activeSigner: Signer): Promise<Signer> => {
    try {
      const signer = await options.open();
      const match = sameAmong([activeSigner, waiting?.signer], signer);
      if (match) {
        if (match === activeSigner) waiting = undefined;
        await signer[Symbol.asyncDispose]?.();
      } else {
        opened.push(signer);
        const from = (await options.signsFrom?.(signer, activeSigner)) ?? now();
        waiting = { signer, from };
      }
    } catch (error) {
      report(error);
    }
    return due(activeSigner);
  };
  /** The signer that waits, once its time has come. */
  const due = (activeSigner: Signer): Signer => {
    if (!waiting || waiting.from > now()) return activeSigner;
    const { signer } = waiting;
    waiting = undefined;
    return signer;
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
      const timeMs = now().getTime();
      const isNewVersion = version !== undefined && version !== seenVersion;
      if (isNewVersion) seenVersion = version;
      if (!current || isNewVersion) {
        checkedAt = timeMs;
        return keepUnlessFailed(current ? current.then(reopened, open) : open());
      }
      if (waiting && waiting.from <= now()) current = current.then(due);
      const looking = current;
      if (Math.abs(timeMs - checkedAt) < reopenEveryMs) return looking;
      checkedAt = timeMs;
      const activeSigner = await looking;
      // No caller waits for it: the open signer signs in the meantime.
      void reopened(activeSigner).then((signer) => {
        if (signer !== activeSigner && current === looking) current = Promise.resolve(signer);
      });
      return activeSigner;
    },
    async [Symbol.asyncDispose]() {
      for (const signer of opened.splice(0).toReversed()) await signer[Symbol.asyncDispose]?.();
    },
  };
}

type Waiting = { readonly signer: Signer; readonly from: Date };

function sameAmong(signers: readonly (Signer | undefined)[], signer: Signer): Signer | undefined {
  return signers.find((candidate) => candidate !== undefined && isSame(candidate, signer));
}

/** The same certificates in the same order, and the same way to sign. */
function isSame(signer: Signer, other: Signer): boolean {
  return (
    signer.hash === other.hash &&
    signer.scheme === other.scheme &&
    signer.chain.length === other.chain.length &&
    signer.chain.every((der, index) => sameBytes(der, other.chain[index] ?? new Uint8Array()))
  );
}
