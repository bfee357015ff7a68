import { ModeSettingError, SigningError } from "@sealhouse/repo-signing";

/** The failed operation, in words. */
export type VaultCall = {
  /** `read the certificate feed`. */
  readonly doing: string;
  /** The required permission: `certificates/get`. */
  readonly permission: string;
  readonly vaultUrl: string;
};

type VaultFailure = { readonly why: string; readonly retryable: boolean };

/** Describes the failure and the remedy. Temporary failures are `retryable`. */
export function vaultError(error: unknown, call: VaultCall): SigningError | ModeSettingError {
  if (error instanceof SigningError || error instanceof ModeSettingError) return error;
  const { name, message } = factsOf(error);
  if (/challenge resource .* does not match|challenge contains an invalid scope/.test(message)) {
    return new ModeSettingError(
      "Signing__AzureKeyVault__VaultUri",
      `${call.vaultUrl} asks for a token of another service, so it gets none: ` +
        `${firstLine(message)} Correct the address, or set ` +
        "Signing__AzureKeyVault__VerifyChallengeResource to false " +
        "when this is the vault's own address.",
      { cause: error },
    );
  }
  const { why, retryable } = AUTHENTICATION_ERRORS.has(name)
    ? refusedToken(error)
    : refusedCall(error, call);
  return new SigningError(
    "signer",
    `The host could not ${call.doing} in ${call.vaultUrl}: ${why}`,
    {
      retryable,
      remedy: isForbidden(error) ? "service" : "settings",
      cause: error,
    },
  );
}

export function isForbidden(error: unknown): boolean {
  return factsOf(error).status === 403;
}

const AUTHENTICATION_ERRORS: ReadonlySet<string> = new Set([
  "AuthenticationError",
  "AuthenticationRequiredError",
  "AggregateAuthenticationError",
  "CredentialUnavailableError",
]);

/** Network trouble that an operator has to look at, unlike a server that is not there right now. */
const TRUST_CODES =
  /^(?:SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_|CERT_|ERR_TLS_CERT|ERR_SSL)/;

function refusedCall(error: unknown, { permission }: VaultCall): VaultFailure {
  const { name, message, status, code, inner } = factsOf(error);
  const detail = `${firstLine(message)}${inner === undefined ? "" : ` (${inner})`}`;
  if (name === "TimeoutError") return { why: "the vault did not answer in time.", retryable: true };
  if (name === "AbortError") return { why: "the call was given up.", retryable: true };
  if (status === undefined) return unreached(code, message);
  switch (status) {
    case 401:
      return {
        why:
          "the vault does not believe the host's token. Is Signing__AzureKeyVault__TenantId the " +
          `vault's? ${detail}`,
        retryable: false,
      };
    case 403:
      return { why: forbidden(detail, inner, permission), retryable: false };
    case 404:
      return { why: `it is not there. ${detail}`, retryable: false };
    default:
      return { why: `the vault answered ${status}. ${detail}`, retryable: isOutage(status) };
  }
}

function forbidden(detail: string, inner: string | undefined, permission: string): string {
  if (inner === "ForbiddenByFirewall" || inner === "ForbiddenByConnection") {
    return `the vault's network rules keep the host out. ${detail}`;
  }
  if (/disabled/i.test(`${inner} ${detail}`)) return `it is disabled. ${detail}`;
  return (
    `the host's identity lacks the permission ${permission}; allow it in the vault's access ` +
    `control. ${detail}`
  );
}

function unreached(code: string | undefined, message: string): VaultFailure {
  if (code !== undefined && TRUST_CODES.test(code)) {
    const why =
      `the vault's TLS certificate is not trusted (${code}); name the file with its authority in ` +
      "NODE_EXTRA_CA_CERTS.";
    return { why, retryable: false };
  }
  if (code !== undefined) return { why: `the vault cannot be reached (${code}).`, retryable: true };
  return { why: firstLine(message), retryable: false };
}

/** Errors of credentials hold the ones that caused them, several levels deep. */
function refusedToken(error: unknown): VaultFailure {
  const facts = [...causesOf(error)].map(factsOf);
  const trust = facts.find(({ code }) => code !== undefined && TRUST_CODES.test(code));
  const retryable =
    trust === undefined &&
    facts.some(
      ({ status, code, message }) =>
        (status !== undefined && isOutage(status)) ||
        (code !== undefined && /^(?:E[A-Z_]+|network_error|REQUEST_SEND_ERROR)$/.test(code)) ||
        /endpoints_resolution_error|network_error|Network unreachable/.test(message),
    );
  const tokenMessage = facts.find(({ description }) => description !== undefined)?.description;
  const tried = readPath(error, "errors");
  const detail = Array.isArray(tried)
    ? tried.map((attempt) => firstLine(factsOf(attempt).message)).join(" ")
    : firstLine(tokenMessage ?? facts[0]?.message ?? "");
  const what = retryable ? "the token server is unavailable" : "the host gets no token";
  const hint =
    retryable || trust !== undefined
      ? ""
      : " Look at Signing__AzureKeyVault__AuthenticationMode and the settings next to it.";
  return { why: `${what}: ${detail}${hint}`, retryable };
}

function* causesOf(error: unknown, depth = 0): Generator {
  if (depth > 8 || typeof error !== "object" || error === null) return;
  yield error;
  if ("errors" in error && Array.isArray(error.errors)) {
    for (const innerError of error.errors) yield* causesOf(innerError, depth + 1);
  }
  if ("cause" in error) yield* causesOf(error.cause, depth + 1);
}

type Facts = {
  readonly name: string;
  readonly message: string;
  readonly status?: number;
  readonly code?: string;
  /** The vault's own, finer code. */
  readonly inner?: string;
  /** The message of the token server. */
  readonly description?: string;
};

/** The SDK's errors carry more than their class says. */
function factsOf(error: unknown): Facts {
  if (!(error instanceof Error)) return { name: "", message: String(error) };
  const status = numberIn(error, "statusCode") ?? numberIn(error, "status");
  const code = textIn(error, "code") ?? textIn(error, "errorCode");
  const inner = textIn(readPath(error, "details", "error", "innerError"), "code");
  const description =
    textIn(readPath(error, "errorResponse"), "errorDescription") ??
    / - Description: (.+?) - Correlation ID: /s.exec(error.message)?.[1];
  return {
    name: error.name,
    message: error.message,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(inner !== undefined && { inner }),
    ...(description !== undefined && { description }),
  };
}

function readPath(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inside, key) =>
      typeof inside === "object" && inside !== null ? Reflect.get(inside, key) : undefined,
    value,
  );
}

function textIn(value: unknown, key: string): string | undefined {
  const field = readPath(value, key);
  return typeof field === "string" && field !== "" ? field : undefined;
}

function numberIn(value: unknown, key: string): number | undefined {
  const field = readPath(value, key);
  return typeof field === "number" ? field : undefined;
}

function isOutage(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Services explain themselves at length. */
function firstLine(text: string): string {
  const [line = ""] = text.trim().split(/[\r\n]/);
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
