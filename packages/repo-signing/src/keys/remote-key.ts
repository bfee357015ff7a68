import type { KeyObject } from "node:crypto";
import { createPublicKey, verify } from "node:crypto";
import { SigningError } from "../errors.ts";
import type { HashName } from "../hash.ts";
import { digest } from "../hash.ts";
import type { SignatureScheme, Signer } from "../ports.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { PADDING } from "./key-signer.ts";

const TIMEOUT_MS = 10_000;
const MOMENT_MS = 500;

/** A signing key without a certificate, wherever it lives: what a certificate is asked for with. */
export type RemoteKey = Partial<AsyncDisposable> & {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  readonly hash: HashName;
  /** RSASSA-PKCS1-v1_5 unless this says RSASSA-PSS, with MGF1 and a salt as long as the hash. */
  readonly scheme?: SignatureScheme;
  /** Over `data` with `hash`. */
  sign(data: Uint8Array): Promise<Uint8Array>;
};

/** Properties of a key in another service. */
export type RemoteKeyOptions = {
  readonly hash: HashName;
  readonly scheme?: SignatureScheme;
  /** The public key by the service: SubjectPublicKeyInfo, PEM or DER. */
  readonly publicKey: string | Uint8Array;
  /** Name of the key for messages: `key alias/feed of AWS KMS in eu-west-1`. */
  readonly keyName: string;
  /**
   * Throws a SigningError `signer` with `retryable`; any other error counts as an outage, and so
   * does no answer soon after the signal has aborted.
   */
  signDigest(digest: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** Default 10,000. */
  readonly timeoutMs?: number;
};

/** Signs with a key of which only digests are asked, and checks every signature. */
export function createRemoteKey(options: RemoteKeyOptions): RemoteKey {
  const { hash, scheme = "pkcs1", keyName, timeoutMs = TIMEOUT_MS } = options;
  const key = publicKeyOf(options.publicKey);
  return {
    publicKey: key.export({ format: "der", type: "spki" }),
    hash,
    scheme,
    async sign(data) {
      const signature = await answerOf(options, digest(hash, data), timeoutMs);
      if (verify(hash.toLowerCase(), data, { key, ...PADDING[scheme] }, signature)) {
        return signature;
      }
      throw new SigningError("signer", `The ${keyName} gave a signature that is not its own.`, {
        retryable: true,
      });
    },
  };
}

/** The key of a signer that has a certificate already, for asking for the next one. */
export function keyOfSigner(signer: Signer): RemoteKey {
  const [der] = signer.chain;
  if (!der) throw new SigningError("certificate-unusable", "The signer has no certificate.");
  const { publicKey } = parseCertificate(der).x509;
  return {
    publicKey: publicKey.export({ format: "der", type: "spki" }),
    hash: signer.hash,
    ...(signer.scheme && { scheme: signer.scheme }),
    sign: (data) => signer.sign(data),
  };
}

/** A key that observes the signal has its own message; others get a moment more, and then ours. */
async function answerOf(
  options: RemoteKeyOptions,
  digested: Uint8Array,
  timeoutMs: number,
): Promise<Uint8Array> {
  const ended = AbortSignal.timeout(timeoutMs + MOMENT_MS);
  try {
    return await untilAborted(ended, () =>
      options.signDigest(digested, AbortSignal.timeout(timeoutMs)),
    );
  } catch (cause) {
    if (cause !== ended.reason) throw cause;
    const message = `The ${options.keyName} did not sign within ${timeoutMs / 1000} seconds.`;
    throw new SigningError("signer", message, { retryable: true, cause });
  }
}

function publicKeyOf(key: string | Uint8Array): KeyObject {
  if (typeof key === "string") return createPublicKey(key);
  return createPublicKey({ key: Buffer.from(key), format: "der", type: "spki" });
}

/**
 * Waits for the work no longer than until the signal aborts, whether or not the work minds it:
 * clients of key services look for credentials without.
 *
 * @throws the signal's reason
 */
export async function untilAborted<Result>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([work(signal), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
