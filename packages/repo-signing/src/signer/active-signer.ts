import { SigningError } from "../errors.ts";
import { fingerprintOf } from "../hash.ts";
import type { CertificateLedger, Signer } from "../ports.ts";
import { parseCertificate } from "../x509/certificate.ts";

const LOOKED_UP_EVERY_MS = 60 * 1000;

/**
 * The same signers without those whose certificate an operator has retired. The record is looked up
 * once a minute; a caller that stores a signature must look again. The signer rejects with a
 * SigningError `certificate-unusable`, which waiting does not resolve.
 */
export function refuseRetired(
  open: () => Promise<Signer>,
  { ledger, now }: { readonly ledger: Pick<CertificateLedger, "find">; readonly now: () => Date },
): () => Promise<Signer> {
  const lookedUpAt = new WeakMap<Signer, number>();
  return async () => {
    const signer = await open();
    const timeMs = now().getTime();
    const last = lookedUpAt.get(signer) ?? Number.NEGATIVE_INFINITY;
    if (Math.abs(timeMs - last) < LOOKED_UP_EVERY_MS) return signer;
    const [der] = signer.chain;
    const record = der && (await ledger.find(fingerprintOf(der)));
    if (der && record?.active === false) throw retired(der);
    lookedUpAt.set(signer, timeMs);
    return signer;
  };
}

function retired(der: Uint8Array): SigningError {
  const { subject, fingerprint } = parseCertificate(der);
  return new SigningError(
    "certificate-unusable",
    `The signing certificate ${subject} (SHA-256 fingerprint ${fingerprint}) was retired and ` +
      "never signs again. Configure another one; a self-signed one is replaced with: " +
      "sealhouse signing rotate",
  );
}
