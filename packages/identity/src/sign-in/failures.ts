import { SignInUnavailableError } from "../errors.ts";
import type { RefusedPerson } from "./provider.ts";
import { refuse } from "./refusal.ts";

/** Names of a provider in sentences and settings. */
export type ProviderLabel = {
  /** `Microsoft` */
  readonly label: string;
};

/** Errors that say "later" about the provider, not about the person. */
const LATER: ReadonlySet<string> = new Set([
  "server_error",
  "temporarily_unavailable",
  "slow_down",
]);
const START_AGAIN = "Go back to the registry and sign in again.";

/**
 * The refusal that an error of `openid-client` means.
 *
 * @throws SignInUnavailableError when the error says nothing about the person
 */
export function refusalOf(error: unknown, { label }: ProviderLabel): RefusedPerson {
  const code = fieldOf(error, "code");
  const reason = fieldOf(error, "error");
  if (reason !== undefined && !isLater(error, reason)) return refusalOfAnswer(reason, label);
  switch (code) {
    case "OAUTH_INVALID_RESPONSE":
    case "OAUTH_UNSUPPORTED_OPERATION":
      return refuse(
        "answer-invalid",
        `The answer of ${label} is not the one that this registry waits for. ${START_AGAIN}`,
      );
    case "OAUTH_JWT_CLAIM_COMPARISON_FAILED":
      return refusalOfClaim(claimOf(error), label);
    case "OAUTH_JWT_TIMESTAMP_CHECK_FAILED":
      return refuse(
        "id-token-expired",
        `The answer of ${label} is too old, or the clocks of ${label} and this registry differ. ` +
          `${START_AGAIN} If that does not help, ask the operator to check the clock.`,
      );
    case "OAUTH_KEY_SELECTION_FAILED":
      return refuse(
        "id-token-key-unknown",
        `The answer of ${label} is signed with a key that ${label} does not announce. ` +
          START_AGAIN,
      );
    default:
      throw unavailable(label, error);
  }
}

/** The provider cannot be asked; the cause is for the log. */
export function unavailable(
  label: string,
  cause: unknown,
  /** Full key of the setting that decides the address. */
  setting?: string,
): SignInUnavailableError {
  if (cause instanceof SignInUnavailableError) return cause;
  const advice = setting === undefined ? "" : ` If that does not help, check ${setting}.`;
  return new SignInUnavailableError(
    `${label} cannot be asked: ${reasonsOf(cause).join(": ")}. Try again later.${advice}`,
    { cause },
  );
}

/** The error of an OAuth answer: `invalid_grant`. */
export function oauthErrorOf(error: unknown): string | undefined {
  const reason = fieldOf(error, "error");
  return reason !== undefined && !isLater(error, reason) ? reason : undefined;
}

function refusalOfAnswer(reason: string, label: string): RefusedPerson {
  switch (reason) {
    case "access_denied":
      return refuse(
        "access-denied",
        `${label} did not allow the sign-in, or it was cancelled. Sign in again, and allow the ` +
          `access. If ${label} still refuses, ask its administrator to allow this registry.`,
      );
    case "invalid_grant":
    case "bad_verification_code":
      return refuse("code-refused", `This sign-in has expired or was used before. ${START_AGAIN}`);
    case "invalid_client":
    case "unauthorized_client":
    case "incorrect_client_credentials":
      return refuse(
        "client-refused",
        `${label} does not accept this registry's client secret, which may have expired. Ask the ` +
          `operator to check Host__Authentication__${label}__ClientSecret.`,
      );
    case "redirect_uri_mismatch":
      return refuse(
        "redirect-refused",
        `${label} does not know the address of this registry. Ask the operator to add its ` +
          `callback to the registration at ${label}.`,
      );
    default:
      return refuse(
        "provider-refused",
        `${label} refused the sign-in with the error ${codeOf(reason)}. ${START_AGAIN} If ` +
          "the error stays, send it to the operator.",
      );
  }
}

/** The code may come from the address bar. */
function codeOf(reason: string): string {
  return /^[\w.-]{1,60}$/.test(reason) ? reason : "unknown";
}

function refusalOfClaim(claim: string | undefined, label: string): RefusedPerson {
  if (claim === "iss") {
    return refuse(
      "issuer-wrong",
      `The ID token has another issuer than ${label} announces. Ask the operator to let the ` +
        "registration issue tokens of version 2.",
    );
  }
  return refuse(
    "id-token-wrong",
    `The ID token of ${label} does not belong to this sign-in. ${START_AGAIN}`,
  );
}

function isLater(error: unknown, reason: string): boolean {
  return LATER.has(reason) || valueOf(error, "status") === 429;
}

/** The claim that `oauth4webapi` compared. */
function claimOf(error: unknown): string | undefined {
  const causes = causesOf(error);
  return causes.map((cause) => fieldOf(cause, "claim")).find((claim) => claim !== undefined);
}

function causesOf(error: unknown): readonly unknown[] {
  const cause = valueOf(error, "cause");
  return cause === undefined ? [error] : [error, ...causesOf(cause)];
}

/** The messages of an error and its causes. */
function reasonsOf(error: unknown): readonly string[] {
  const messages = causesOf(error).flatMap((cause) =>
    cause instanceof Error ? [cause.message || cause.name] : [],
  );
  return messages.length > 0 ? messages : [String(error)];
}

function fieldOf(error: unknown, name: string): string | undefined {
  const value = valueOf(error, name);
  return typeof value === "string" ? value : undefined;
}

function valueOf(error: unknown, name: string): unknown {
  return error instanceof Object ? Reflect.get(error, name) : undefined;
}
