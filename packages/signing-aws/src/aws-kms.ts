import type {
  ModeContext,
  RemoteKey,
  RemoteKeyOptions,
  Signer,
  SigningMode,
} from "@sealhouse/repo-signing";
import {
  createRemoteKey,
  createRemoteSigner,
  ModeSettingError,
  SigningError,
} from "@sealhouse/repo-signing";
import { accountOf, accountSettings } from "./aws-account.ts";
import { withAwsWords } from "./aws-failure.ts";
import type { KeyCertificate } from "./certificate-setting.ts";
import { certificateOf, certificateSettings } from "./certificate-setting.ts";
import type { KmsAlgorithm, KmsKey } from "./kms-key.ts";
import { ALGORITHMS, openKmsKey } from "./kms-key.ts";

const SECTION = "Signing__AwsKms";
const DEFAULT_ALGORITHM: KmsAlgorithm = "RSASSA_PKCS1_V1_5_SHA_256";
const TIMEOUT_MS = 10_000;
const TRIAL = Buffer.from("Sealhouse tries its signing key. This is no package.");

/** The key never leaves AWS KMS: a digest goes there, a signature comes back. */
export function awsKms({
  timeoutMs = TIMEOUT_MS,
}: { readonly timeoutMs?: number } = {}): SigningMode {
  return {
    settings: {
      ...accountSettings(SECTION),
      [`${SECTION}__KeyId`]: {
        kind: { type: "text" },
        required: true,
        about: "Id, ARN or alias (`alias/feed`) of an RSA key with the usage SIGN_VERIFY.",
      },
      [`${SECTION}__SigningAlgorithm`]: {
        kind: { type: "choice", values: Object.keys(ALGORITHMS) },
        fallback: DEFAULT_ALGORITHM,
        about: "How the key signs; PSS is accepted with a warning, because some clients refuse it.",
      },
      ...certificateSettings(SECTION),
    },
    open: (context) => openAwsKms(context, timeoutMs),
    openKey: (context) => openKeyAlone(context, timeoutMs),
  };
}

async function openAwsKms(
  context: ModeContext,
  timeoutMs: number,
): Promise<Signer & AsyncDisposable> {
  const certificate = await certificateOf(SECTION, context);
  try {
    using opened = new DisposableStack();
    const { key, remote } = await findKey(context, timeoutMs);
    opened.use(key);
    const signer = signerOf(remote, certificate);
    // Whoever may read the public key may not sign with it yet.
    await signer.sign(TRIAL);
    warnOfPss(algorithmOf(context), context);
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

function signerOf(remote: RemoteKeyOptions, certificate: KeyCertificate): Signer {
  try {
    return createRemoteSigner({ ...remote, chain: certificate.chain });
  } catch (cause) {
    if (!(cause instanceof SigningError)) throw cause;
    throw new ModeSettingError(certificate.setting, cause.message, { cause });
  }
}

function algorithmOf({ values }: ModeContext): KmsAlgorithm {
  const key = `${SECTION}__SigningAlgorithm`;
  const asked = values[key] ?? DEFAULT_ALGORITHM;
  if (isAlgorithm(asked)) return asked;
  throw new ModeSettingError(key, `It is none of ${Object.keys(ALGORITHMS).join(", ")}.`);
}

function isAlgorithm(text: string): text is KmsAlgorithm {
  return Object.hasOwn(ALGORITHMS, text);
}

/** A mode is opened again every hour, with the same values: once is enough. */
const warned = new WeakSet<ModeContext["values"]>();

function warnOfPss(algorithm: KmsAlgorithm, context: ModeContext): void {
  if (ALGORITHMS[algorithm].scheme !== "pss" || warned.has(context.values)) return;
  warned.add(context.values);
  context.warn(
    `${SECTION}__SigningAlgorithm is ${algorithm}: some NuGet clients may refuse RSASSA-PSS. ` +
      `${DEFAULT_ALGORITHM} works everywhere, with the same key and certificate.`,
  );
}
