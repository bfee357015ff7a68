/** All that the page about trust shows. */
export type TrustPage = {
  /** Every certificate that vouches for packages of this feed, the one in use first. Undefined
   * where packages are not signed. */
  readonly certificates?: readonly TrustedCertificate[] | undefined;
  /** Whether container images are signed. */
  readonly images?: boolean;
  /** A package to try it with; undefined where names are not for everybody. */
  readonly example?: { readonly id: string; readonly version: string } | undefined;
};

export type TrustedCertificate = {
  /** SHA-256 of the DER form, hex in any letter case. */
  readonly fingerprint: string;
  readonly subject: string;
  /** The same as `subject` where the certificate is its own root. */
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
};

/** Nobody stands behind it but whoever published it. */
export function isSelfIssued({
  subject,
  issuer,
}: Pick<TrustedCertificate, "subject" | "issuer">): boolean {
  return subject === issuer;
}
