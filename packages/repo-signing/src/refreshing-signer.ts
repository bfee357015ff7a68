import type { Signer } from "./ports.ts";
import { sameBytes } from "./hash.ts";

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
  readonly signsFrom?: (next: Signer, held: Signer) => Promise<Date>;
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
  const reopened = async (held: Signer): Promise<Signer> => {
    try {
      const signer = await options.open();
      const known = [held, ...(waiting ? [waiting.signer] : [])].find((one) => isSame(one, signer));
      if (known) {
        if (known === held) waiting = undefined;
        await signer[Symbol.asyncDispose]?.();
      } else {
        opened.push(signer);
        const from = (await options.signsFrom?.(signer, held)) ?? now();
        waiting = { signer, from };
      }
    } catch (error) {
      report(error);
    }
    return due(held);
  };
  /** The signer that waits, once its time has come. */
  const due = (held: Signer): Signer => {
    if (!waiting || waiting.from > now()) return held;
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
      const at = now().getTime();
      const isNewVersion = version !== undefined && version !== seenVersion;
      if (isNewVersion) seenVersion = version;
      if (!current || isNewVersion) {
        checkedAt = at;
        return keepUnlessFailed(current ? current.then(reopened, open) : open());
      }
      if (waiting && waiting.from <= now()) current = current.then(due);
      const looking = current;
      if (Math.abs(at - checkedAt) < reopenEveryMs) return looking;
      checkedAt = at;
      const held = await looking;
      // No caller waits for it: the open signer signs in the meantime.
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

type Waiting = { readonly signer: Signer; readonly from: Date };

/** The same certificates in the same order, and the same way to sign. */
function isSame(one: Signer, other: Signer): boolean {
  return (
    one.hash === other.hash &&
    one.scheme === other.scheme &&
    one.chain.length === other.chain.length &&
    one.chain.every((der, index) => sameBytes(der, other.chain[index] ?? new Uint8Array()))
  );
}
