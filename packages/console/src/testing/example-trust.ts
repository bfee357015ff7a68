import type { TrustedCertificate, TrustPage } from "../trust/model.ts";

/** A certificate of the host's own making. */
export function exampleCertificate(fields: Partial<TrustedCertificate> = {}): TrustedCertificate {
  const name = "CN=Sealhouse Repository Signing, O=Acme";
  return {
    fingerprint: "ab12".repeat(16),
    subject: name,
    issuer: name,
    notBefore: new Date("2026-01-01T08:00:00Z"),
    notAfter: new Date("2036-01-01T08:00:00Z"),
    ...fields,
  };
}

/** After a rotation, with a package to try it with. */
export function exampleTrust(fields: Partial<TrustPage> = {}): TrustPage {
  return {
    certificates: [
      exampleCertificate(),
      exampleCertificate({ fingerprint: "cd34".repeat(16), notAfter: new Date("2027-01-01") }),
    ],
    example: { id: "Acme.Core", version: "2.1.0-RC.1" },
    ...fields,
  };
}
