import { SYSTEM } from "@sealhouse/events";
import { SigningCertificate } from "../entities/signing.ts";
import { bufferOf } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";
import type { ListedCertificateTimes, Used } from "./certificate-ledger.ts";

/** The record and its event. The loser of a race finds the winner's record. */
export function insertCertificate(
  changes: Changes,
  certificate: Used,
  { listedAt, signsFrom }: ListedCertificateTimes,
): Promise<void> {
  const { fingerprint, subject, issuer, notBefore, notAfter, der } = certificate;
  return changes.transaction(async (unit) => {
    const { catalog } = unit;
    if ((await catalog.count(SigningCertificate, { fingerprint })) > 0) return;
    await changes.stale(unit, "certificates");
    await catalog.insert(SigningCertificate, {
      fingerprint,
      subject,
      issuer,
      notBefore,
      notAfter,
      listedAt,
      firstUsedAt: signsFrom,
      lastUsedAt: signsFrom,
      active: true,
      der: bufferOf(der),
    });
    await changes.event(unit, {
      type: "certificate.created",
      subject: `certificate/${fingerprint}`,
      caller: SYSTEM,
      detail: {
        subject,
        issuer,
        notAfter: notAfter.toISOString(),
        signsFrom: signsFrom.toISOString(),
      },
    });
  });
}
