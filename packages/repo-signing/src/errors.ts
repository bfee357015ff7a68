import type { ZipProblem } from "@sealhouse/zip-archive";

/** A code that the NuGet client prints for the same fault, so that people can look it up. */
export type NuGetCode = `NU30${number}`;

/** A signature that breaks NuGet's rules. `code` is what the NuGet client would print. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
  readonly code: NuGetCode;

  constructor(code: NuGetCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** A problem of the archive itself, bytes before its first entry, or no room for a signature. */
export type ArchiveProblem = ZipProblem | "prefix" | "no-room";

/** The file is not an archive that can carry a signature. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  readonly code = "archive-unsignable";
  readonly problem: ArchiveProblem;
  /** The client's code for it, where it has one. */
  readonly nugetCode: NuGetCode | undefined;

  constructor(problem: ArchiveProblem, message: string, nugetCode?: NuGetCode) {
    super(message);
    this.problem = problem;
    this.nugetCode = nugetCode;
  }
}

/** Whether `value` is an error with this code, whichever copy of its class made it. */
export function hasCode(value: unknown, code: string): boolean {
  return value instanceof Error && "code" in value && value.code === code;
}

/** Codes of failed signatures. */
export type SigningProblem =
  | "certificate-expiring"
  | "certificate-early"
  | "certificate-unusable"
  | "certificate-file"
  /** The password of a certificate file is missing or wrong. */
  | "certificate-password"
  | "service-index-url"
  | "signer"
  | "self-check"
  | "splice-plan"
  | "timestamp";

/**
 * Signing is not possible. `retryable` is true when waiting may help, and false when an operator
 * must act.
 */
export class SigningError extends Error {
  /** Knows those of another copy of this package, too: an extension may come with its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    return this === SigningError && hasCode(value, "cannot-sign");
  }

  override readonly name = "SigningError";
  readonly code = "cannot-sign";
  readonly problem: SigningProblem;
  readonly retryable: boolean;
  /** Part that an operator must change: settings and files, or the state of the key service. */
  readonly remedy: "settings" | "service";
  /** Details for operators only, such as the message of a key service: never sent to clients. */
  readonly details: string | undefined;
  /** Full key of the setting with the faulty value, when there is one. */
  readonly setting: string | undefined;

  constructor(
    problem: SigningProblem,
    message: string,
    options: {
      retryable?: boolean;
      remedy?: "settings" | "service";
      details?: string;
      setting?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.problem = problem;
    this.retryable = options.retryable ?? false;
    this.remedy = options.remedy ?? "settings";
    this.details = options.details;
    this.setting = options.setting;
  }
}

/** A stored package that must not leave unsigned could not be signed. */
export class UnsealedError extends Error {
  override readonly name = "UnsealedError";
  readonly code = "package-unsigned";
  /** Undefined when waiting does not help: an operator has to act. */
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: string, retryAfterSeconds: number | undefined) {
    super(reason);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Codes of failed timestamps. */
export type TimestampProblem =
  | "unreachable"
  | "timeout"
  | "http-status"
  | "rejected"
  | "malformed"
  | "invalid"
  | "cancelled";

/** The timestamping authority returned no token that clients would accept. Waiting may help. */
export class TimestampError extends SigningError {
  readonly reason: TimestampProblem;
  /** The client's code for an invalid token. */
  readonly nugetCode: NuGetCode | undefined;

  constructor(
    reason: TimestampProblem,
    message: string,
    options: { nugetCode?: NuGetCode; cause?: unknown } = {},
  ) {
    super("timestamp", message, { retryable: true, cause: options.cause });
    this.reason = reason;
    this.nugetCode = options.nugetCode;
  }
}
