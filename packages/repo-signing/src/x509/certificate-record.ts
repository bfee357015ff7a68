import type { CertificateFacts } from "../ports.ts";
import { parseCertificate } from "./certificate.ts";

/** The fields of a certificate in the ledger, without its usage. */
export function certificateRecordOf(der: Uint8Array): CertificateFacts {
  const { fingerprint, subject, issuer, notBefore, notAfter } = parseCertificate(der);
  return { fingerprint, subject, issuer, notBefore, notAfter, der };
}
