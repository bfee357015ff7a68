import { SigningError, untilAborted } from "@sealhouse/repo-signing";
import type { AwsAccount } from "./aws-account.ts";

/** A call to AWS, in the words that people need when it fails. */
export type AwsCall = {
  /** `key alias/feed of AWS KMS in eu-west-1` */
  readonly target: string;
  /** The permission that a policy must allow: `kms:Sign`. */
  readonly action: string;
  /** Full key of the setting that names the target. */
  readonly setting: string;
  /** `Signing__AwsKms` */
  readonly section: string;
  readonly account: AwsAccount;
};

/**
 * Runs a call, and explains refusals of AWS. The SDK ignores the signal while it looks for
 * credentials, so this function observes it.
 *
 * @throws SigningError `signer`: retryable for an outage, not when an operator must act
 */
export async function explained<Answer>(
  call: AwsCall,
  signal: AbortSignal,
  send: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await untilAborted(signal, send);
  } catch (error) {
    throw signingError(call, signal.aborted ? signal.reason : error);
  }
}

/**
 * Adds the message of AWS. For operators only: it contains accounts and roles, which publishers
 * need not know.
 */
export function withAwsWords(error: unknown): unknown {
  if (!(error instanceof SigningError) || !(error.cause instanceof Error)) return error;
  const { problem, message, retryable, remedy, cause } = error;
  const causeMessage = error.cause.message.trim();
  if (causeMessage === "" || message.includes(causeMessage)) return error;
  const details = `It says: ${causeMessage}`;
  return new SigningError(problem, message, { retryable, remedy, details, cause });
}

function signingError(call: AwsCall, cause: unknown): SigningError {
  const { name, code, status } = factsOf(cause);
  const retryable = mayPass(name, status, call.account);
  // Of an answer the name says more; some answers have a code, too.
  const fault = status === undefined ? (code ?? name) : name;
  const advice = ADVICE[name]?.(call) ?? (retryable ? outageAdvice(call) : permanentAdvice(call));
  const message = `AWS did not do ${call.action} with the ${call.target} (${fault}). ${advice}`;
  const remedy = OF_THE_SERVICE.has(name) ? "service" : "settings";
  return new SigningError("signer", message, { retryable, remedy, cause });
}

type Facts = {
  readonly name: string;
  /** Code of a network error: `ECONNREFUSED`. */
  readonly code: string | undefined;
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
};

function factsOf(error: unknown): Facts {
  if (!(error instanceof Error)) return { name: "Error", code: undefined, status: undefined };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const metadata = "$metadata" in error ? error.$metadata : undefined;
  const isAnswered = typeof metadata === "object" && metadata !== null;
  const status = isAnswered && "httpStatusCode" in metadata ? metadata.httpStatusCode : undefined;
  return { name: error.name, code, status: typeof status === "number" ? status : undefined };
}

const THROTTLING = /Throttl|TooManyRequests|LimitExceeded|RequestTimeout/;
const EXPIRED = /^ExpiredToken/;

/** Put right in AWS, without a change of the settings. */
const OF_THE_SERVICE: ReadonlySet<string> = new Set([
  "AccessDeniedException",
  "DisabledException",
  "KMSInvalidStateException",
]);

/** Whether waiting may help. AWS answers throttling with 400. */
function mayPass(name: string, status: number | undefined, { credentials }: AwsAccount): boolean {
  if (status === undefined || status >= 500 || status === 429 || THROTTLING.test(name)) return true;
  // What the default chain found renews itself; what is in the settings does not.
  return EXPIRED.test(name) && !credentials;
}

type Advice = (call: AwsCall) => string;

const denied: Advice = ({ action }) =>
  `Allow ${action} for the host's AWS identity, in its own policy or in the target's.`;
const unknownIdentity: Advice = ({ section, account }) =>
  account.credentials
    ? `AWS does not know the access key: correct ${section}__AccessKeyId.`
    : "AWS does not know the credentials that the default chain found on this machine.";
const wrongSecret: Advice = ({ section, account }) =>
  account.credentials
    ? `Correct ${section}__SecretAccessKey, and see that this machine's clock is right.`
    : "See that this machine's clock is right, and its AWS credentials are.";
const expired: Advice = ({ section, account }) =>
  account.credentials
    ? `Replace ${section}__SessionToken and its access key: they have expired.`
    : "The AWS credentials that the default chain found on this machine have expired.";
const notFound: Advice = ({ setting, section }) =>
  `It does not exist in this account and region: correct ${setting} or ${section}__Region.`;
const wrongUsage: Advice = ({ setting }) =>
  `Name an RSA key with the usage SIGN_VERIFY in ${setting}.`;
const outageAdvice: Advice = ({ section }) =>
  `AWS or the network may be out; if it stays so, look at ${section}__Region, ` +
  `${section}__ServiceUrl and the network.`;
const permanentAdvice: Advice = ({ section }) => `Correct the settings ${section}__….`;

const ADVICE: Readonly<Record<string, Advice>> = {
  AccessDeniedException: denied,
  CredentialsProviderError: ({ section }) =>
    `There are no AWS credentials: set ${section}__AccessKeyId and its secret, or give this ` +
    "machine a role.",
  DisabledException: () => "Enable the key in AWS KMS.",
  ExpiredToken: expired,
  ExpiredTokenException: expired,
  InvalidArnException: notFound,
  InvalidClientTokenId: unknownIdentity,
  InvalidKeyUsageException: wrongUsage,
  InvalidSignatureException: wrongSecret,
  KMSInvalidStateException: () =>
    "The state of the key does not allow it. A key that waits for its deletion or for its " +
    "material signs nothing: look at it in AWS KMS, or name another.",
  NotFoundException: notFound,
  ResourceNotFoundException: notFound,
  SignatureDoesNotMatch: wrongSecret,
  ThrottlingException: () => "There were too many requests; it passes.",
  UnrecognizedClientException: unknownIdentity,
  UnsupportedOperationException: wrongUsage,
};
