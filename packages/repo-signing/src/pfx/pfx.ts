import type { KeyObject } from "node:crypto";
import { createPrivateKey, verify } from "node:crypto";
import { DerError, readDer, TAG } from "../der/reader.ts";
import { hasCode, SigningError } from "../errors.ts";
import { signPkcs1 } from "../keys/key-signer.ts";
import type { PfxBags, PfxFile } from "./pfx-contents.ts";
import { bagsOf, decryptKey, parsePfx } from "./pfx-contents.ts";
import type { Secret } from "./pfx-decryption.ts";
import { isMacRight, secretsOf, UnsupportedError } from "./pfx-decryption.ts";
import { issuersInOrder } from "../x509/read-certificates.ts";
import type { Certificate } from "../x509/certificate.ts";
import { parseCertificate } from "../x509/certificate.ts";
import type { KeyWithCertificate } from "../keys/key-signer.ts";

const BYTES_MAX = 1024 * 1024;

/** `readPfx` in this thread: loading `pkijs` and parsing hold it up. @throws SigningError */
export async function openPfx(pfx: Uint8Array, password: string): Promise<KeyWithCertificate> {
  if (pfx.length > BYTES_MAX) throw unreadable("it is larger than 1 MiB");
  try {
    return await matching(await opened(await parsePfx(pfx), password));
  } catch (cause) {
    throw explained(cause);
  }
}

/**
 * Reads an encrypted private key (PKCS#8, DER), as `BEGIN ENCRYPTED PRIVATE KEY` in PEM carries it.
 *
 * @throws SigningError `certificate-file`
 */
export async function readEncryptedKey(der: Uint8Array, password: string): Promise<KeyObject> {
  if (der.length > BYTES_MAX) throw unreadable("it is larger than 1 MiB");
  try {
    const [secret] = secretsOf(password);
    if (!secret) throw new TypeError("a password has at least one form");
    const plain = await decryptKey(der, secret).catch((cause: unknown) => {
      throw isOwn(cause) ? cause : wrongPassword(password);
    });
    // One wrong password in 256 leaves bytes behind that end as a decrypted text would.
    if (!isSequence(plain)) throw wrongPassword(password);
    return privateKeyOf(plain) ?? refuseKey(undefined);
  } catch (cause) {
    throw explained(cause);
  }
}

async function opened(file: PfxFile, password: string): Promise<PfxBags> {
  const secrets = secretsOf(password);
  const { macData, checked } = file;
  if (!macData) return openedUnchecked(file, secrets);
  for (const secret of secrets) {
    if (await isMacRight(macData, checked, secret)) return bagsOf(file, secret);
  }
  // A password that decrypts everything is right, so it is the file that is not.
  await openedUnchecked(file, secrets).catch(() => {
    throw wrongPassword(password);
  });
  throw unreadable("it is damaged: the password opens it, but its checksum does not fit");
}

async function openedUnchecked(file: PfxFile, secrets: readonly Secret[]): Promise<PfxBags> {
  let failure: unknown;
  for (const secret of secrets) {
    try {
      return await bagsOf(file, secret);
    } catch (cause) {
      failure ??= cause;
    }
  }
  throw isOwn(failure) ? failure : passwordOrDamage(failure);
}

/** The first RSA key with the certificate of its public half, which comes first in the chain. */
async function matching({ keys, certificates }: PfxBags): Promise<KeyWithCertificate> {
  const parsed = certificates.map(parseCertificate);
  if (keys.length === 0) throw unreadable("it holds no private key");
  const readable = keys.flatMap((der) => privateKeyOf(der) ?? []);
  const usable = readable.filter((key) => key.asymmetricKeyType === "rsa");
  if (usable.length === 0) refuseKey(readable[0]);
  for (const key of usable) {
    const chain = await chainOf(key, parsed);
    if (chain) return { key, chain };
  }
  throw unreadable(
    certificates.length === 0 ? "it holds no certificate" : "it holds no certificate of its key",
  );
}

/**
 * The certificate of a key with those that issued it; undefined when it is not among them.
 *
 * @throws SigningError when the key makes signatures that do not fit its public half
 */
export async function chainOf(
  key: KeyObject,
  certificates: readonly Certificate[],
): Promise<readonly Uint8Array[] | undefined> {
  const own = certificates.find((certificate) => certificate.x509.checkPrivateKey(key));
  if (!own) return undefined;
  const probe = Buffer.from("probe");
  // Not every file has a checksum, and what is compared above is only the public half.
  const signature = await signPkcs1(probe, key, "SHA256").catch(() => Buffer.alloc(0));
  if (verify("sha256", probe, own.x509.publicKey, signature)) {
    return issuersInOrder(own, certificates).map(({ der }) => der);
  }
  throw unreadable("its private key is damaged");
}

/** NuGet clients take signatures of RSA keys only (NU3013, NU3014). @throws SigningError */
export function refuseKey(key: KeyObject | undefined): never {
  const type = key?.asymmetricKeyType;
  if (type === undefined) throw unreadable("its private key cannot be read");
  throw unreadable(`its key is of type ${type}, and NuGet clients accept plain RSA keys only`);
}

function privateKeyOf(pkcs8: Uint8Array): KeyObject | undefined {
  try {
    return createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
  } catch {
    return undefined;
  }
}

function isSequence(bytes: Uint8Array): boolean {
  try {
    return readDer(bytes).tag === TAG.sequence;
  } catch (cause) {
    if (cause instanceof DerError) return false;
    throw cause;
  }
}

/** Errors with their own message; all others come from a cipher with wrong bytes. */
function isOwn(cause: unknown): boolean {
  const isKnown = cause instanceof SigningError || cause instanceof UnsupportedError;
  return isKnown || isPeerMissing(cause);
}

/** Without an import of `@sealhouse/settings`, which only a missing library needs. */
function isPeerMissing(cause: unknown): cause is Error {
  return hasCode(cause, "peer-missing");
}

function explained(cause: unknown): SigningError {
  if (cause instanceof SigningError) return cause;
  if (isPeerMissing(cause)) {
    // It ends with a command, so without a full stop.
    const message = `The certificate file cannot be read. ${cause.message}`;
    return new SigningError("certificate-file", message, { cause });
  }
  if (cause instanceof UnsupportedError) {
    return unreadable(`it uses ${cause.message}, which is not supported`, cause);
  }
  if (cause instanceof DerError) return unreadable(`it is damaged: ${cause.message}`, cause);
  return unreadable("it is damaged, or a part of it has another password", cause);
}

/** The error for an encrypted file that `password` does not open; empty = none is set. */
export function wrongPassword(password: string, cause?: unknown): SigningError {
  return passwordRefused(
    password === "" ? "it needs a password, and none is set" : "the password does not open it",
    cause,
  );
}

/** The error for an encrypted file without a checksum that would distinguish the two causes. */
export function passwordOrDamage(cause: unknown): SigningError {
  return passwordRefused("the password does not open it, or it is damaged", cause);
}

function passwordRefused(why: string, cause: unknown): SigningError {
  const message = `The certificate file cannot be read: ${why}.`;
  return new SigningError("certificate-password", message, { cause });
}

function unreadable(why: string, cause?: unknown): SigningError {
  return new SigningError("certificate-file", `The certificate file cannot be read: ${why}.`, {
    cause,
  });
}
