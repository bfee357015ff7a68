import type { KeyWithCertificate } from "../keys/key-signer.ts";
import { bufferOf, runInThread } from "./thread.ts";

/**
 * Reads a PKCS#12 file (`.pfx`, `.p12`) in the thread for certificates: current ones (PBES2 with
 * AES) and old ones with RC2 or triple DES. An empty password also opens a file without a password.
 *
 * @throws SigningError `certificate-file`; its message distinguishes a wrong password from a
 *   damaged file where the file allows that; and when the file has no RSA key with its certificate
 */
export async function readPfx(pfx: Uint8Array, password: string): Promise<KeyWithCertificate> {
  return withBuffers(await runInThread("openPfx", Uint8Array.from(pfx), password));
}

/**
 * A PKCS#12 file protected with PBES2 (PBKDF2, AES-256-CBC) and an HMAC-SHA-256 over all of it, as
 * OpenSSL 3, Windows and .NET read it. It is made in the thread for certificates.
 */
export function writePfx(content: KeyWithCertificate, password: string): Promise<Uint8Array> {
  const chain = content.chain.map((der) => Uint8Array.from(der));
  return runInThread("encodePfx", { key: content.key, chain }, password);
}

/** The same with a chain of Buffers, which threads copy as plain arrays of octets. */
export function withBuffers({ key, chain }: KeyWithCertificate): KeyWithCertificate {
  return { key, chain: chain.map(bufferOf) };
}
