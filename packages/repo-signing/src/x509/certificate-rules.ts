import { OID } from "../der/oid.ts";
import type { NuGetCode } from "../errors.ts";
import type { Certificate } from "./certificate.ts";
import { parseCertificate, publicKeyOf } from "./certificate.ts";

/** A reason for clients to refuse a certificate, with NuGet's code. */
export type CertificateProblem = { readonly code: NuGetCode; readonly message: string };

const ACCEPTED_ALGORITHMS: ReadonlySet<string> = new Set([
  OID.sha256WithRsa,
  OID.sha384WithRsa,
  OID.sha512WithRsa,
]);

const KEY_BITS_MIN = 2048;

/**
 * Why no client would accept a signature made with this certificate, now or ever: an empty list
 * means that it can sign. Clients enforce these rules even when they accept untrusted signatures.
 */
export function certificateProblems(der: Uint8Array, now: Date): readonly CertificateProblem[] {
  return problemsOf(parseCertificate(der), now);
}

/** The same for a certificate that has been read. */
export function problemsOf(certificate: Certificate, now: Date): readonly CertificateProblem[] {
  const problems = [...illegalCertificate(certificate, now)];
  if (!allowsPurpose(certificate, OID.codeSigning)) {
    problems.push({
      code: "NU3012",
      message: "its extended key usage does not allow code signing",
    });
  }
  if (now >= certificate.notAfter) {
    const ended = certificate.notAfter.toISOString();
    problems.push({ code: "NU3037", message: `it expired on ${ended}` });
  }
  return problems;
}

/** The rules a client applies to the signing certificate alone, whatever it trusts. */
export function illegalCertificate(certificate: Certificate, now: Date): CertificateProblem[] {
  const problems: CertificateProblem[] = [];
  if (!hasAcceptedAlgorithm(certificate)) {
    problems.push({
      code: "NU3013",
      message: "it was not issued with RSA PKCS#1 v1.5 and SHA-256, SHA-384 or SHA-512",
    });
  }
  if (!hasLongEnoughKey(certificate)) {
    problems.push({
      code: "NU3014",
      message: `its key is not RSA with ${KEY_BITS_MIN} bits or more`,
    });
  }
  if (certificate.extendedKeyUsage?.includes(OID.lifetimeSigning) === true) {
    problems.push({ code: "NU3015", message: "it carries the lifetime signing usage" });
  }
  if (certificate.notBefore > now) {
    const begins = certificate.notBefore.toISOString();
    problems.push({ code: "NU3017", message: `it is not valid before ${begins}` });
  }
  return problems;
}

export function hasAcceptedAlgorithm(certificate: Certificate): boolean {
  return ACCEPTED_ALGORITHMS.has(certificate.signatureAlgorithm);
}

export function hasLongEnoughKey(certificate: Certificate): boolean {
  const key = publicKeyOf(certificate);
  return (
    key?.asymmetricKeyType === "rsa" &&
    (key.asymmetricKeyDetails?.modulusLength ?? 0) >= KEY_BITS_MIN
  );
}

/** An absent extension allows every purpose. */
export function allowsPurpose(certificate: Certificate, purpose: string): boolean {
  const usage = certificate.extendedKeyUsage;
  return !usage || usage.includes(purpose) || usage.includes(OID.anyExtendedKeyUsage);
}
