import { SigningError } from "../errors.ts";
import type { SigningProblem } from "../errors.ts";
import type { CertificateLedger, Signer } from "../ports.ts";
import { refusedUntil } from "./rotation.ts";
import { trySigner } from "./signer-of-key.ts";
import { ModeSettingError } from "./signing-mode.ts";
import type { Certificate } from "../x509/certificate.ts";
import { usableCertificate } from "../x509/usable-certificate.ts";

/** Whether packages can be signed. */
export type SignerState =
  | {
      readonly status: "ready";
      readonly certificate: Certificate;
      /** Until then clients may refuse what it signs: it was not listed for long enough. */
      readonly refusedUntil?: Date;
    }
  | {
      readonly status: "failing";
      readonly reason: string;
      /** Undefined for a failure that the library does not know. */
      readonly problem: SigningProblem | "settings" | undefined;
      /** Whether it may pass by itself; otherwise an operator must act. */
      readonly retryable: boolean;
    };

/** Observes whether packages can be signed. */
export type SignerWatch = {
  /** Undefined before the first look. */
  state(): SignerState | undefined;
  /** Looks whether packages can be signed. While they cannot, and with `thorough`, the signer has
   * to sign. Looks at the same time are one look. */
  look(how?: { readonly thorough: boolean }): Promise<SignerState>;
};

export type SignerWatchOptions = {
  readonly signer: () => Promise<Signer>;
  readonly ledger: Pick<CertificateLedger, "find" | "list">;
  /** Other parts of a signature, such as a timestamp; rejects when one is unavailable. */
  readonly tryMore?: () => Promise<void>;
  readonly now: () => Date;
  /** Told when the state is another one: once, not with every look. */
  readonly onChange: (state: SignerState, before: SignerState | undefined) => void;
};

/** Keeps an eye on a signer. */
export function createSignerWatch(options: SignerWatchOptions): SignerWatch {
  let state: SignerState | undefined;
  let looking: Promise<SignerState> | undefined;
  const look = async (isThorough: boolean): Promise<SignerState> => {
    const before = state;
    state = await stateOf(options, isThorough || before?.status === "failing");
    if (!before || !isSame(state, before)) options.onChange(state, before);
    return state;
  };
  return {
    state: () => state,
    look({ thorough } = { thorough: false }) {
      looking ??= look(thorough).finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };
}

/** Whether the host need not start: a setting or a file has to be corrected. Whatever passes by
 * itself, is for the key service to change, or comes with the calendar lets it start. */
export function isMisconfigured(error: unknown): boolean {
  if (error instanceof ModeSettingError) return true;
  if (!(error instanceof SigningError) || error.retryable) return false;
  const isDated = ["certificate-expiring", "certificate-early"].includes(error.problem);
  return !isDated && error.remedy !== "service";
}

async function stateOf(options: SignerWatchOptions, isThorough: boolean): Promise<SignerState> {
  try {
    const signer = await options.signer();
    const certificate = usableCertificate(signer, options.now());
    if (isThorough) {
      await trySigner(signer);
      await options.tryMore?.();
    }
    const until = await refusedNow(certificate, options);
    return { status: "ready", certificate, ...(until && { refusedUntil: until }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof ModeSettingError) {
      const problem = "settings";
      return { status: "failing", problem, reason: `${error.key}: ${reason}`, retryable: false };
    }
    const signingError = error instanceof SigningError ? error : undefined;
    const { problem, retryable = true } = signingError ?? {};
    const fullReason = [
      reason,
      ...(signingError?.details === undefined ? [] : [signingError.details]),
    ].join(" ");
    return { status: "failing", problem, reason: fullReason, retryable };
  }
}

/** A record that cannot be read now says nothing about the signer. */
async function refusedNow(
  { fingerprint }: Certificate,
  { ledger, now }: SignerWatchOptions,
): Promise<Date | undefined> {
  try {
    const record = await ledger.find(fingerprint);
    return record && refusedUntil(record, await ledger.list(), now());
  } catch {
    return undefined;
  }
}

/** Words of a service may differ from one failure to the next; its kind is what counts. */
function isSame(signerState: SignerState, other: SignerState): boolean {
  if (signerState.status === "failing") {
    return (
      other.status === "failing" &&
      signerState.problem === other.problem &&
      signerState.retryable === other.retryable
    );
  }
  return (
    other.status === "ready" &&
    signerState.certificate.fingerprint === other.certificate.fingerprint &&
    signerState.refusedUntil?.getTime() === other.refusedUntil?.getTime()
  );
}
