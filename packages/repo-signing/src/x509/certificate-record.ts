import type { CertificateRecord } from "../ports.ts";
import { parseCertificate } from "./certificate.ts";

/** What the ledger keeps of a certificate, without its usage. */
export function certificateRecordOf(
  der: Uint8Array,
): Omit<CertificateRecord, "firstUsedAt" | "lastUsedAt" | "active"> {
  const { fingerprint, subject, issuer, notBefore, notAfter } = parseCertificate(der);
  return { fingerprint, subject, issuer, notBefore, notAfter, der };
}
