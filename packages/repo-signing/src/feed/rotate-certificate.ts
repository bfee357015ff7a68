import type { CertificateLedger, CertificateRecord, Signer } from "../ports.ts";
import type { Certificate } from "../x509/certificate.ts";
import type { SigningTools } from "./feed-options.ts";

/** The next certificate of a feed, and when it signs. */
export type RotatedCertificate = {
  readonly certificate: Certificate;
  /** `waiting`: it was prepared before. `configured`: hosts sign with it once their settings name
   * it. */
  readonly status: "prepared" | "waiting" | "at-once" | "configured";
  readonly signsFrom: Date;
};

export type RotateParts = {
  readonly tools: Pick<SigningTools, "signer" | "successor" | "rotate">;
  readonly ledger: Pick<CertificateLedger, "announce" | "find">;
  readonly now: () => Date;
};

/** The settings name a certificate that signs already, so there is nothing to rotate. */
export type NothingToRotate = {
  readonly status: "in-use";
  readonly record: CertificateRecord;
};

/**
 * Rotates the certificate of a feed: creates one in mode SelfSigned, otherwise opens the one that
 * an operator configured. It is listed now and signs an hour later, or `atOnce`. Packages with the
 * signature of an older certificate stay unchanged.
 * @throws SigningError for a certificate that no client accepts
 */
export async function rotateCertificate(
  { tools, ledger, now }: RotateParts,
  { atOnce }: { readonly atOnce: boolean },
): Promise<RotatedCertificate | NothingToRotate> {
  const { usableCertificate } = await import("../index.ts");
  const time = now();
  if (!tools.rotate) return announceConfigured({ tools, ledger }, { atOnce, time });
  const { signer, ...rotation } = await tools.rotate({ atOnce });
  return { ...rotation, certificate: usableCertificate(signer, time) };
}

/** Records, and so lists, a certificate before the first package is signed with it. */
async function announceConfigured(
  { tools, ledger }: Pick<RotateParts, "tools" | "ledger">,
  { atOnce, time }: { readonly atOnce: boolean; readonly time: Date },
): Promise<RotatedCertificate | NothingToRotate> {
  const { announceSigner, usableCertificate } = await import("../index.ts");
  const signer = await (tools.successor ?? tools.signer)();
  const certificate = usableCertificate(signer, time);
  const record = await ledger.find(certificate.fingerprint);
  if (record && record.firstUsedAt <= time) return { status: "in-use", record };
  const { firstUsedAt: signsFrom } = await announceSigner(signer, {
    ledger,
    now: () => time,
    ...(atOnce && { listedBeforeSigningMs: 0 }),
  });
  if (!tools.successor) return { certificate, status: "configured", signsFrom };
  const status = atOnce ? "at-once" : record ? "waiting" : "prepared";
  return { certificate, status, signsFrom };
}

/** Returns the certificate that signs now.
 * @throws SigningError when no client accepts it */
export async function currentCertificate(
  { signer }: { readonly signer: () => Promise<Signer> },
  now: Date,
): Promise<Certificate> {
  const { usableCertificate } = await import("../index.ts");
  return usableCertificate(await signer(), now);
}
