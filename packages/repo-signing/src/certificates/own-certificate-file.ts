import { readPfx } from "../certificate-thread/pfx.ts";
import { SigningError } from "../errors.ts";
import type { KeyWithCertificate } from "../keys/key-with-certificate.ts";

/** @throws SigningError `certificate-file` */
export async function readOwn(pfx: Uint8Array, password: string): Promise<KeyWithCertificate> {
  try {
    return await readPfx(pfx, password);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SigningError(
      "certificate-file",
      `${why} The file is unchanged: configure its password with ` +
        "Signing__CertificatePasswordSecret, or delete the file, and a new certificate is made.",
      { cause },
    );
  }
}
