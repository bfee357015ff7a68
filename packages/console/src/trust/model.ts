/** Contents of the trust page. */
export type TrustPage = {
  /**
   * Certificates of the feed's repository signatures, current first. Undefined when NuGet package
   * signing is disabled.
   */
  readonly certificates?: readonly TrustedCertificate[] | undefined;
  /** Whether the registry signs container images. */
  readonly images?: boolean;
  /** A package for the example commands; undefined when anonymous callers may not read. */
  readonly example?: { readonly id: string; readonly version: string } | undefined;
};

/** A certificate of the feed's repository signatures. */
export type TrustedCertificate = {
  /** SHA-256 of the DER form, hex in any letter case. */
  readonly fingerprint: string;
  readonly subject: string;
  /** Equals `subject` when the certificate is self-signed. */
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
};

/** Whether the certificate is self-signed, so no certificate authority confirms it. */
export function isSelfIssued({
  subject,
  issuer,
}: Pick<TrustedCertificate, "subject" | "issuer">): boolean {
  return subject === issuer;
}
