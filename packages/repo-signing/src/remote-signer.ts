import type { KeyObject } from "node:crypto";
import { createPublicKey, verify } from "node:crypto";
import { SigningError } from "./errors.ts";
import type { HashName } from "./hash.ts";
import { digest } from "./hash.ts";
import { PADDING } from "./key-signer.ts";
import type { SignatureScheme, Signer } from "./ports.ts";
import { parseCertificate } from "./x509/certificate.ts";

const TIMEOUT_MS = 10_000;

/**
 * Signs with a key that never leaves its service: only digests go there, and what comes back is
 * checked against the certificate before anybody uses it.
 *
 * @throws SigningError `certificate-unusable` when the certificate belongs to another key
 */
export function createRemoteSigner(options: {
  /** DER, the signing certificate first. */
  readonly chain: readonly Uint8Array[];
  readonly hash: HashName;
  readonly scheme?: SignatureScheme;
  /** What the service says the public half of the key is: SubjectPublicKeyInfo, PEM or DER. */
  readonly publicKey: string | Uint8Array;
  /** How people call the key: `key alias/feed of AWS KMS in eu-west-1`. */
  readonly keyName: string;
  /** Throws a SigningError `signer` that says whether waiting may help; whatever else it throws is
   * taken for an outage. */
  signDigest(digest: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** Default 10,000. */
  readonly timeoutMs?: number;
}): Signer {
  const { chain, hash, scheme = "pkcs1", keyName, timeoutMs = TIMEOUT_MS } = options;
  const key = keyOfCertificate(options);
  return {
    chain,
    hash,
    scheme,
    async sign(data) {
      const signature = await options.signDigest(
        digest(hash, data),
        AbortSignal.timeout(timeoutMs),
      );
      if (verify(hash.toLowerCase(), data, { key, ...PADDING[scheme] }, signature)) {
        return signature;
      }
      throw new SigningError("signer", `The ${keyName} gave a signature that is not its own.`, {
        retryable: true,
      });
    },
  };
}

function keyOfCertificate(options: {
  readonly chain: readonly Uint8Array[];
  readonly publicKey: string | Uint8Array;
  readonly keyName: string;
}): KeyObject {
  const { chain, publicKey, keyName } = options;
  const [der] = chain;
  if (!der) throw new SigningError("certificate-unusable", `The ${keyName} has no certificate.`);
  const { x509, subject } = parseCertificate(der);
  if (publicKeyOf(publicKey).equals(x509.publicKey)) return x509.publicKey;
  throw new SigningError(
    "certificate-unusable",
    `The certificate ${subject} does not belong to the ${keyName}: their public keys differ.`,
  );
}

function publicKeyOf(key: string | Uint8Array): KeyObject {
  if (typeof key === "string") return createPublicKey(key);
  return createPublicKey({ key: Buffer.from(key), format: "der", type: "spki" });
}
