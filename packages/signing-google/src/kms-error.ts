import { SigningError } from "@sealhouse/repo-signing";

type KmsFailure = {
  /** A value of `google.rpc.Code`. */
  readonly name: string;
  /** Whether waiting may help; otherwise an operator must act. */
  readonly retryable: boolean;
  /** Put right at Google, without a change of the settings. */
  readonly remedy?: "service";
  /** Whether an immediate retry makes sense, before the failure is reported. */
  readonly transient?: true;
  /** The remedy. */
  readonly advice?: string;
};

const FAILURES: Readonly<Record<number, KmsFailure>> = {
  1: { name: "CANCELLED", retryable: true },
  2: { name: "UNKNOWN", retryable: true },
  3: { name: "INVALID_ARGUMENT", retryable: false, advice: "Check the names in the settings." },
  4: { name: "DEADLINE_EXCEEDED", retryable: true },
  5: {
    name: "NOT_FOUND",
    retryable: false,
    advice: "Check project, location, key ring, key and version in the settings.",
  },
  7: {
    name: "PERMISSION_DENIED",
    retryable: false,
    remedy: "service",
    advice:
      "Grant the account roles/cloudkms.signerVerifier on the key, and roles/cloudkms.viewer " +
      "where the newest version or the instance of a key is to be found.",
  },
  8: {
    name: "RESOURCE_EXHAUSTED",
    retryable: true,
    advice: "Ask for a larger quota of Cloud KMS when that happens often.",
  },
  9: {
    name: "FAILED_PRECONDITION",
    retryable: false,
    remedy: "service",
    advice: "Enable the key version, or name another one.",
  },
  10: { name: "ABORTED", retryable: true, transient: true },
  12: { name: "UNIMPLEMENTED", retryable: false, advice: "Check the service URL in the settings." },
  13: { name: "INTERNAL", retryable: true, transient: true },
  14: { name: "UNAVAILABLE", retryable: true, transient: true },
};

const UNKNOWN: KmsFailure = { name: "UNKNOWN", retryable: true };
/** Words of KMS for a digest that was changed on its way; Google asks to send it again. */
const CHANGED_ON_THE_WAY = /checksum|crc32c/i;
/** Codes of OAuth for an account that gets no token (RFC 6749, 5.2), whatever code comes with it:
 * Cloud KMS was not even asked. */
const NO_TOKEN = /\b(?:invalid_grant|invalid_client|unauthorized_client)\b/;
const UNAUTHENTICATED: KmsFailure = {
  name: "UNAUTHENTICATED",
  retryable: false,
  advice: "Check the service account key, or the application default credentials.",
};

/** Cloud KMS did not do what it was asked for. */
export class KmsError extends SigningError {
  /** Worth asking again at once. */
  readonly transient: boolean;

  constructor(
    message: string,
    options: { transient: boolean; retryable: boolean; remedy?: "service"; cause?: unknown },
  ) {
    super("signer", message, options);
    this.transient = options.transient;
  }
}

/** `doing` completes "Google Cloud KMS did not …". */
export function kmsErrorOf(error: unknown, doing: string): KmsError {
  if (error instanceof KmsError) return error;
  const words = wordsOf(error);
  const verdict = failureOf(error, words);
  const advice = verdict.advice === undefined ? "" : ` ${verdict.advice}`;
  return new KmsError(`Google Cloud KMS did not ${doing}: ${words} (${verdict.name}).${advice}`, {
    transient: verdict.transient ?? false,
    retryable: verdict.retryable,
    ...(verdict.remedy && { remedy: verdict.remedy }),
    cause: error,
  });
}

/** An answer that was damaged on its way, or is not the one that was asked for. */
export function damagedAnswer(what: string, doing: string): KmsError {
  return new KmsError(`Google Cloud KMS did not ${doing}: ${what}.`, {
    transient: true,
    retryable: true,
  });
}

function failureOf(error: unknown, words: string): KmsFailure {
  const code = codeOf(error);
  if (code === 16 || NO_TOKEN.test(words)) return UNAUTHENTICATED;
  const verdict = (code === undefined ? undefined : FAILURES[code]) ?? UNKNOWN;
  const isDamaged = code === 3 && CHANGED_ON_THE_WAY.test(words);
  return isDamaged ? { name: verdict.name, retryable: true, transient: true } : verdict;
}

function codeOf(error: unknown): number | undefined {
  if (error instanceof Error && error.name === "TimeoutError") return 4;
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "number" ? error.code : undefined;
}

/** Without the number and name that gRPC puts first, and what it leaves hanging at the end. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .replace(/^\d+ [A-Z_]+: /, "")
    .replace(/\s*Resolution note:\s*$/, "")
    .replace(/[.\s]+$/, "");
}
