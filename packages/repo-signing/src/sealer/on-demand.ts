import { BoundedCache } from "@sealhouse/bounded-cache";
import { UnsealedError } from "../errors.ts";
import type { PackageBytes, SealedName, SealKeeper } from "../ports.ts";
import type { PackageIdentity, Seal, Sealer, SealOutcome } from "./sealer.ts";

/**
 * Undefined when the package is served unchanged.
 * @throws UnsealedError when it must not be served unsigned
 */
export type OnDemandSealing = (
  source: PackageBytes & { readonly sha256: string },
  storedPackage: PackageIdentity,
  signal?: AbortSignal,
) => Promise<Seal | undefined>;

/** Lets one of several instances do a piece of work, and gives what it kept to the others. */
export type OneInstanceOnly = (
  sealedName: SealedName,
  work: () => Promise<Seal | undefined>,
  signal: AbortSignal,
) => Promise<Seal | undefined>;

/**
 * Signs a stored package at its first download. Requests of this process share one signing, which
 * continues until the last of them has ended; the keeper, and `across` before it, ensure that all
 * requests get the same bytes. `report` receives the reason why a package is served unchanged, and
 * defects of a new signature.
 */
export function createOnDemandSealing(options: {
  readonly sealer: Pick<Sealer, "sealOnDownload">;
  readonly keeper: SealKeeper<Seal>;
  readonly report: (warning: string, namedPackage: PackageIdentity) => void;
  /** Default: every instance signs, and the keeper decides between them. */
  readonly across?: OneInstanceOnly;
}): OnDemandSealing {
  const { sealer, keeper, report, across = (_named, work) => work() } = options;
  const running = new Map<string, SharedWork>();
  const asTheyCame = new BoundedCache<string, string>({ entries: REASONS_MAX });

  const sealOnce = async (
    source: PackageBytes & { readonly sha256: string },
    identity: PackageIdentity,
  ): Promise<Seal | undefined> => {
    const outcome = await sealer.sealOnDownload(source, identity);
    if (outcome.status === "sealed") {
      if (outcome.warning !== undefined) report(outcome.warning, identity);
      const storedSeal = await keeper.keep({ ...identity, sha256: source.sha256 }, outcome.seal);
      if (!storedSeal) report("Not signed: the certificate was retired during signing.", identity);
      return storedSeal;
    }
    if (outcome.status === "unsealed" && outcome.because === "policy") {
      asTheyCame.set(source.sha256, KEPT);
      return undefined;
    }
    const reason = reasonOf(outcome);
    report(reason, identity);
    if (outcome.status === "failed") throw new UnsealedError(reason, outcome.retryAfterSeconds);
    const isLasting = outcome.status === "unsealed" && outcome.because === "package";
    if (isLasting) asTheyCame.set(source.sha256, reason);
    return undefined;
  };

  return async (source, { id, version }, signal) => {
    const identity = { id, version };
    // A second read of a large package would only find the same fault.
    const reason = asTheyCame.get(source.sha256);
    if (reason !== undefined) {
      if (reason !== KEPT) report(reason, identity);
      return undefined;
    }
    const key = `${id}/${version}/${source.sha256}`;
    let shared = running.get(key);
    if (!shared || shared.isGivenUp()) {
      const started = shareWork((stop) =>
        across({ ...identity, sha256: source.sha256 }, () => sealOnce(source, identity), stop),
      );
      const end = () => running.get(key) === started && running.delete(key);
      started.result.then(end, end);
      running.set(key, started);
      shared = started;
    }
    return shared.join(signal);
  };
}

/** The reason for a package that is as it should be. */
const KEPT = "";

function reasonOf(outcome: Exclude<SealOutcome, { readonly status: "sealed" }>): string {
  const reason = outcome.status === "unsealed" ? outcome.warning : outcome.reason;
  return reason ?? "Not signed.";
}

/** Limit of packages that stay unchanged, with their reasons. */
const REASONS_MAX = 10_000;

type SharedWork = {
  readonly result: Promise<Seal | undefined>;
  readonly isGivenUp: () => boolean;
  /** Waits for the work until it is done, or until the signal aborts. */
  join(signal: AbortSignal | undefined): Promise<Seal | undefined>;
};

/** The work is aborted when no request waits for it. */
function shareWork(work: (stop: AbortSignal) => Promise<Seal | undefined>): SharedWork {
  const stop = new AbortController();
  const result = work(stop.signal);
  let waiting = 0;
  return {
    result,
    isGivenUp: () => stop.signal.aborted,
    async join(signal) {
      signal?.throwIfAborted();
      waiting += 1;
      const gone = Promise.withResolvers<never>();
      const leave = () => gone.reject(signal?.reason);
      signal?.addEventListener("abort", leave, { once: true });
      try {
        return await Promise.race([result, gone.promise]);
      } finally {
        signal?.removeEventListener("abort", leave);
        waiting -= 1;
        if (waiting === 0) stop.abort();
      }
    },
  };
}
