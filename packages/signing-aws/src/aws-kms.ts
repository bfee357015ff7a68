import { DisposableStack } from "@sealhouse/disposable-stack";
import type {
  ModeContext,
  RemoteKey,
  RemoteKeyOptions,
  Signer,
  SigningMode,
} from "@sealhouse/repo-signing";
import {
  certificateOfKey,
  createRemoteKey,
  ModeSettingError,
  signerOfKey,
} from "@sealhouse/repo-signing";
import { accountOf } from "./aws-account.ts";
import { withAwsWords } from "./aws-failure.ts";
import type { KmsAlgorithm, KmsKey } from "./kms-key.ts";
import { ALGORITHMS, DEFAULT_ALGORITHM, openKmsKey } from "./kms-key.ts";
import { AWS_KMS_SETTINGS } from "./settings/table.ts";

const SECTION = "Signing__AwsKms";
const TIMEOUT_MS = 10_000;
const INSTEAD_OF_PSS =
  `${SECTION}__SigningAlgorithm=${DEFAULT_ALGORITHM} works everywhere, with the same key and ` +
  "certificate.";

/** The key never leaves AWS KMS: a digest goes there, a signature comes back. */
export function awsKms({
  timeoutMs = TIMEOUT_MS,
}: { readonly timeoutMs?: number } = {}): SigningMode {
  return {
    settings: AWS_KMS_SETTINGS,
    open: (context) => openAwsKms(context, timeoutMs),
    openKey: (context) => openKeyAlone(context, timeoutMs),
  };
}

async function openAwsKms(
  context: ModeContext,
  timeoutMs: number,
): Promise<Signer & AsyncDisposable> {
  const certificate = await certificateOfKey(SECTION, context);
  try {
    using opened = new DisposableStack();
    const { key, remote } = await findKey(context, timeoutMs);
    opened.use(key);
    const how = { context, insteadOfPss: INSTEAD_OF_PSS };
    const signer = await signerOfKey(remote, certificate, how);
    const owned = opened.move();
    return { ...signer, [Symbol.asyncDispose]: async () => owned.dispose() };
  } catch (error) {
    throw withAwsWords(error);
  }
}

/** Needs no certificate. */
async function openKeyAlone(
  context: ModeContext,
  timeoutMs: number,
): Promise<RemoteKey & AsyncDisposable> {
  try {
    const { key, remote } = await findKey(context, timeoutMs);
    return { ...createRemoteKey(remote), [Symbol.asyncDispose]: async () => key[Symbol.dispose]() };
  } catch (error) {
    throw withAwsWords(error);
  }
}

type FoundKey = { readonly key: KmsKey; readonly remote: RemoteKeyOptions };

async function findKey(context: ModeContext, timeoutMs: number): Promise<FoundKey> {
  const algorithm = algorithmOf(context);
  const account = accountOf(SECTION, context);
  const keyId = context.values[`${SECTION}__KeyId`];
  if (keyId === undefined) throw new ModeSettingError(`${SECTION}__KeyId`, "It is required.");
  const key = await openKmsKey({ account, keyId, algorithm, section: SECTION, timeoutMs });
  const remote: RemoteKeyOptions = {
    ...ALGORITHMS[algorithm],
    publicKey: key.publicKey,
    keyName: key.name,
    timeoutMs,
    signDigest: (digest, signal) => key.signDigest(digest, signal),
  };
  return { key, remote };
}

function algorithmOf({ values }: ModeContext): KmsAlgorithm {
  const key = `${SECTION}__SigningAlgorithm`;
  const algorithm = values[key] ?? DEFAULT_ALGORITHM;
  if (isAlgorithm(algorithm)) return algorithm;
  throw new ModeSettingError(key, `It is none of ${Object.keys(ALGORITHMS).join(", ")}.`);
}

function isAlgorithm(text: string): text is KmsAlgorithm {
  return Object.hasOwn(ALGORITHMS, text);
}
