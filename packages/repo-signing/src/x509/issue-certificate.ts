import { keyIdentifierFor } from "./certificate.ts";
import type { CertificateKey, CertificatePurpose } from "./certificate-key.ts";
import { openCertificateLibrary, usagesOf } from "./certificate-library.ts";

/** The contents of a certificate. */
export type CertificateRequest = {
  /** Name, as `encodeName` writes it or as copied from another certificate. */
  readonly subject: Uint8Array;
  /** Fractions of a second are cut off. */
  readonly notBefore: Date;
  /** Fractions of a second are cut off. */
  readonly notAfter: Date;
  /** 16 to 20 random bytes, big-endian; made positive here. */
  readonly serial: Uint8Array;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  readonly purpose: CertificatePurpose;
};

/** The name and key that sign a certificate. */
export type CertificateIssuer = Omit<CertificateKey, "scheme"> & {
  /** Name, DER. */
  readonly name: Uint8Array;
  /** Default: RSASSA-PKCS1-v1_5. */
  readonly scheme?: CertificateKey["scheme"];
};

/**
 * Makes a certificate (RFC 5280 4.1).
 *
 * @returns DER
 */
export async function issueCertificate(
  request: CertificateRequest,
  issuer: CertificateIssuer,
): Promise<Uint8Array> {
  const { scheme = "pkcs1" } = issuer;
  const library = await openCertificateLibrary({ ...issuer, scheme });
  const { x509, crypto, keys, signingAlgorithm } = library;
  const made = await x509.X509CertificateGenerator.create(
    {
      serialNumber: serialOf(request.serial),
      subject: new x509.Name(Uint8Array.from(request.subject)),
      issuer: new x509.Name(Uint8Array.from(issuer.name)),
      notBefore: wholeSeconds(request.notBefore),
      notAfter: wholeSeconds(request.notAfter),
      publicKey: new x509.PublicKey(Uint8Array.from(request.publicKey)),
      signingKey: keys.privateKey,
      signingAlgorithm,
      extensions: [
        ...usagesOf(x509, request.purpose),
        new x509.SubjectKeyIdentifierExtension(hexOf(keyIdentifierFor(request.publicKey))),
        new x509.AuthorityKeyIdentifierExtension(hexOf(keyIdentifierFor(issuer.publicKey))),
      ],
    },
    crypto,
  );
  return Buffer.from(made.rawData);
}

/** Positive and of full length, whatever the random bytes are. */
function serialOf(random: Uint8Array): string {
  const serial = Uint8Array.from(random);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return hexOf(serial);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}
