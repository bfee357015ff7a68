import type { CertificateFacts } from "../ports.ts";
import { parseCertificate } from "./certificate.ts";

/** What the ledger keeps of a certificate, without its usage. */
export function certificateRecordOf(der: Uint8Array): CertificateFacts {
  const { fingerprint, subject, issuer, notBefore, notAfter } = parseCertificate(der);
  return { fingerprint, subject, issuer, notBefore, notAfter, der };
}
