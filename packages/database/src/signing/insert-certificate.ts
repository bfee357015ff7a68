import { SYSTEM } from "@sealhouse/events";
import type { CertificateLedger } from "@sealhouse/repo-signing";
import type { Changes } from "../transactions/changes.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

/** A certificate that signs. */
export type Used = Parameters<CertificateLedger["used"]>[0];

/** When clients may learn of a certificate, and when it may sign. */
export type ListedCertificateTimes = { readonly listedAt: Date; readonly signsFrom: Date };

const EXISTS = defineStatement(
  "certificate-exists",
  { fingerprint: param.text(64) },
  (db, { fingerprint }) =>
    db
      .selectFrom("signing_certificates")
      .select("fingerprint")
      .where("fingerprint", "=", fingerprint),
);
const INSERT = defineStatement(
  "certificate-insert",
  {
    fingerprint: param.text(64),
    subject: param.longText,
    issuer: param.longText,
    notBefore: param.time,
    notAfter: param.time,
    listedAt: param.time,
    signsFrom: param.time,
    der: param.bytes,
  },
  (db, { signsFrom, ...row }, own) =>
    db.insertInto("signing_certificates").values({
      ...inColumns(row),
      first_used_at: signsFrom,
      last_used_at: signsFrom,
      active: own.yes,
    }),
);

/** The record and its event. The loser of a race finds the winner's record. */
export function insertCertificate(
  changes: Changes,
  certificate: Used,
  { listedAt, signsFrom }: ListedCertificateTimes,
): Promise<void> {
  const { fingerprint, subject, issuer, notBefore, notAfter, der } = certificate;
  return changes.transaction(async (unit) => {
    if (await unit.queries.one(EXISTS, { fingerprint })) return;
    await changes.stale(unit, "certificates");
    await unit.queries.run(INSERT, {
      fingerprint,
      subject,
      issuer,
      notBefore,
      notAfter,
      listedAt,
      signsFrom,
      der,
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
