import type { SignerState, SignerWatch } from "../index.ts";
import type { Job } from "@sealhouse/jobs";
import { createCertificateLog } from "./signer-check.ts";
import type { FeedSigningOptions } from "./feed-options.ts";

const SECOND_MS = 1000;
const LOOK_EVERY_MS = 60 * SECOND_MS;
/** While packages cannot be signed. */
const LOOK_AGAIN_EVERY_MS = 5 * SECOND_MS;

/** Logs each change of the signing state once. */
export function createStateLog(
  parts: Pick<FeedSigningOptions, "log" | "now"> & {
    readonly failedPush: "stored unsigned" | "refused";
  },
): (state: SignerState, before: SignerState | undefined) => void {
  const { log, failedPush } = parts;
  const printCertificate = createCertificateLog(parts);
  return (state, before) => {
    if (state.status === "failing") {
      const { reason, retryable } = state;
      log.warn({ reason, retryable, pushes: failedPush }, "packages cannot be signed");
      return;
    }
    const { certificate, refusedUntil } = state;
    if (before?.status === "failing") log.info({}, "packages can be signed again");
    printCertificate(certificate);
    if (!refusedUntil) return;
    const { fingerprint } = certificate;
    log.warn(
      { fingerprint, refusedUntil },
      "the signing certificate was not listed for an hour before it signs; clients that require " +
        "signatures and keep an older list may refuse new packages (NU3034)",
    );
  };
}

/** For metrics; undefined before the first check. */
export function canSign(state: SignerState | undefined): boolean | undefined {
  return state && state.status === "ready";
}

/** The public description of a problem, without paths or messages of a key service; undefined = no
 * problem. */
export function degradedSigning(state: SignerState | undefined): string | undefined {
  if (!state) return undefined;
  if (state.status === "ready") {
    const until = state.refusedUntil?.toISOString();
    return until && `clients may refuse the new signing certificate until ${until} (NU3034)`;
  }
  const what = DEGRADED[state.problem ?? "signer"] ?? "packages cannot be signed";
  const next = state.retryable ? "it may pass by itself" : "an operator must act; see the log";
  return `${what}; ${next}`;
}

const DEGRADED: Readonly<Partial<Record<string, string>>> = {
  "certificate-expiring": "the signing certificate has expired, or expires within 5 minutes",
  "certificate-early": "the signing certificate is not valid yet",
  "certificate-file": "the file of the signing certificate cannot be used",
  "certificate-password": "the file of the signing certificate cannot be used",
  "certificate-unusable": "the signing certificate cannot be used",
  settings: "the settings of signing have to be corrected",
  signer: "the signing key does not sign",
  timestamp: "no timestamp server returns a valid timestamp",
};

/** Notices changes without a push: a certificate that expires, a service that works again. */
export function signingWatchJob(
  watch: () => Promise<SignerWatch | undefined>,
  now: () => Date,
): Job {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    name: "signing certificate",
    firstAfterMs: LOOK_AGAIN_EVERY_MS,
    everyMs: LOOK_AGAIN_EVERY_MS,
    async run() {
      const watched = await watch();
      const isDue = Math.abs(now().getTime() - lookedAt) >= LOOK_EVERY_MS;
      if (!watched || (!isDue && watched.state()?.status === "ready")) return;
      lookedAt = now().getTime();
      await watched.look();
    },
  };
}
