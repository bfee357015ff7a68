import { certificateUrl } from "./addresses.ts";
import type { ListedCertificate } from "./ports.ts";

const SHA256_OID = "2.16.840.1.101.3.4.2.1";

/** The certificates that have signed packages of this feed. Clients need every field. */
export function repositorySignatures(
  base: string,
  certificates: readonly ListedCertificate[],
  allRepositorySigned: boolean,
): object {
  return {
    allRepositorySigned,
    signingCertificates: certificates.map((certificate) => ({
      fingerprints: { [SHA256_OID]: certificate.fingerprint },
      subject: certificate.subject,
      issuer: certificate.issuer,
      notBefore: certificate.notBefore.toISOString(),
      notAfter: certificate.notAfter.toISOString(),
      contentUrl: certificateUrl(base, certificate.fingerprint),
    })),
  };
}
