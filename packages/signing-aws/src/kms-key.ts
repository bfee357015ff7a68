import { createPublicKey } from "node:crypto";
import { DisposableStack } from "@sealhouse/disposable-stack";
import type { GetPublicKeyResponse, KMSClient, SigningAlgorithmSpec } from "@aws-sdk/client-kms";
import type { HashName, SignatureScheme } from "@sealhouse/repo-signing";
import { ModeSettingError } from "@sealhouse/repo-signing";
import type { AwsAccount } from "./aws-account.ts";
import { clientOptions } from "./aws-account.ts";
import type { AwsCall } from "./aws-failure.ts";
import { explained } from "./aws-failure.ts";

/** Operation of the key, with AWS's name. */
export const ALGORITHMS = {
  RSASSA_PKCS1_V1_5_SHA_256: { scheme: "pkcs1", hash: "SHA256" },
  RSASSA_PKCS1_V1_5_SHA_384: { scheme: "pkcs1", hash: "SHA384" },
  RSASSA_PKCS1_V1_5_SHA_512: { scheme: "pkcs1", hash: "SHA512" },
  RSASSA_PSS_SHA_256: { scheme: "pss", hash: "SHA256" },
  RSASSA_PSS_SHA_384: { scheme: "pss", hash: "SHA384" },
  RSASSA_PSS_SHA_512: { scheme: "pss", hash: "SHA512" },
} as const satisfies Partial<
  Record<SigningAlgorithmSpec, { readonly scheme: SignatureScheme; readonly hash: HashName }>
>;

export type KmsAlgorithm = keyof typeof ALGORITHMS;
export const ALGORITHM_NAMES = Object.keys(ALGORITHMS) as readonly KmsAlgorithm[];
export const DEFAULT_ALGORITHM: KmsAlgorithm = "RSASSA_PKCS1_V1_5_SHA_256";

export type KmsKeyOptions = {
  readonly account: AwsAccount;
  /** Id, ARN or alias. */
  readonly keyId: string;
  readonly algorithm: KmsAlgorithm;
  /** First part of the settings, for messages: `Signing__AwsKms`. */
  readonly section: string;
  readonly timeoutMs: number;
};

/** An RSA key of AWS KMS that clients will accept. Disposal closes its connections. */
export type KmsKey = Disposable & {
  /** `key alias/feed of AWS KMS in eu-west-1` */
  readonly name: string;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  /** @throws SigningError `signer` */
  signDigest(digest: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
};

const KEY_BITS_MIN = 2048;

/**
 * Requests the public key from AWS KMS, and checks that the key supports the operation.
 *
 * @throws ModeSettingError when the key is of the wrong kind
 * @throws SigningError when AWS refuses or does not answer
 */
export async function openKmsKey(options: KmsKeyOptions): Promise<KmsKey> {
  const { account, keyId, algorithm, section } = options;
  const { GetPublicKeyCommand, KMSClient, SignCommand } = await import("@aws-sdk/client-kms");
  using opened = new DisposableStack();
  const client = opened.adopt(new KMSClient(clientOptions(account)), closeClient);
  const name = `key ${keyId} of AWS KMS in ${account.region}`;
  const setting = `${section}__KeyId`;
  const call = (action: string): AwsCall => ({ target: name, action, setting, section, account });
  const signal = AbortSignal.timeout(options.timeoutMs);
  const answer = await explained(call("kms:GetPublicKey"), signal, () =>
    client.send(new GetPublicKeyCommand({ KeyId: keyId }), { abortSignal: signal }),
  );
  const publicKey = checkedPublicKey(answer, { setting, section, algorithm });
  // Not the alias: it may be given to another key, whose certificate is not here yet.
  const KeyId = answer.KeyId ?? keyId;
  const owned = opened.move();
  return {
    name,
    publicKey,
    async signDigest(digest, abortSignal) {
      const command = new SignCommand({
        KeyId,
        Message: digest,
        MessageType: "DIGEST",
        SigningAlgorithm: algorithm,
      });
      const { Signature = new Uint8Array() } = await explained(call("kms:Sign"), abortSignal, () =>
        client.send(command, { abortSignal }),
      );
      return Signature;
    },
    [Symbol.dispose]: () => owned.dispose(),
  };
}

function closeClient(client: KMSClient): void {
  client.destroy();
}

function checkedPublicKey(
  answer: GetPublicKeyResponse,
  request: {
    readonly setting: string;
    readonly section: string;
    readonly algorithm: KmsAlgorithm;
  },
): Uint8Array {
  const { KeyUsage, KeySpec = "unknown", PublicKey, SigningAlgorithms = [] } = answer;
  const { setting, section, algorithm } = request;
  if (KeyUsage !== "SIGN_VERIFY") {
    throw new ModeSettingError(
      setting,
      `The usage of this key is ${KeyUsage ?? "unknown"}. Name one with the usage SIGN_VERIFY.`,
    );
  }
  if (!PublicKey || !isLongRsaKey(PublicKey)) {
    throw new ModeSettingError(
      setting,
      `This is a key of the kind ${KeySpec}. NuGet clients accept RSA keys of ${KEY_BITS_MIN} ` +
        "bits or more: name one of the kind RSA_2048, RSA_3072 or RSA_4096.",
    );
  }
  if (!SigningAlgorithms.includes(algorithm)) {
    throw new ModeSettingError(
      `${section}__SigningAlgorithm`,
      `The key cannot do ${algorithm}; it can do ${SigningAlgorithms.join(", ")}.`,
    );
  }
  return PublicKey;
}

function isLongRsaKey(publicKey: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  return key.asymmetricKeyType === "rsa" && bits >= KEY_BITS_MIN;
}
