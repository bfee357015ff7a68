import type { CertificateLedger, CertificateRecord } from "@sealhouse/repo-signing";
import { UnexpectedRowError } from "../errors.ts";
import { param } from "../statements/kinds.ts";
import { insertCertificate } from "./insert-certificate.ts";
import type { ListedCertificateTimes, Used } from "./insert-certificate.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

const COLUMNS = [
  "fingerprint",
  "subject",
  "issuer",
  "not_before",
  "not_after",
  "listed_at",
  "first_used_at",
  "last_used_at",
  "active",
  "der",
] as const;
const FINGERPRINT = { fingerprint: param.text(64) };

const LIST = defineStatement("certificates", {}, (db) =>
  db.selectFrom("signing_certificates").select(COLUMNS).orderBy("first_used_at"),
);
const FIND = defineStatement("certificate", FINGERPRINT, (db, { fingerprint }) =>
  db.selectFrom("signing_certificates").select(COLUMNS).where("fingerprint", "=", fingerprint),
);
const USED = defineStatement(
  "certificate-used",
  { ...FINGERPRINT, at: param.time },
  (db, { fingerprint, at }) =>
    db
      .updateTable("signing_certificates")
      .set({ last_used_at: at })
      .where("fingerprint", "=", fingerprint)
      .where("last_used_at", "<", at),
);
/** It signs sooner than it was to. */
const BRING_FORWARD = defineStatement(
  "certificate-bring-forward",
  { ...FINGERPRINT, to: param.time },
  (db, { fingerprint, to }) =>
    db
      .updateTable("signing_certificates")
      .set({ first_used_at: to, last_used_at: to })
      .where("fingerprint", "=", fingerprint)
      .where("first_used_at", ">", to),
);

export function createCertificateLedger(queries: Queries, changes: Changes): CertificateLedger {
  const insertFirst = (certificate: Used, times: ListedCertificateTimes) =>
    insertCertificate(changes, certificate, times);
  const find = async (fingerprint: string) => {
    const row = await queries.one(FIND, { fingerprint });
    return row && recordOf(row);
  };
  const bringForward = (fingerprint: string, to: Date) =>
    queries.run(BRING_FORWARD, { fingerprint, to });
  return {
    async used(certificate, time) {
      const { fingerprint } = certificate;
      const knownRecord = await find(fingerprint);
      if (!knownRecord) await insertFirst(certificate, { listedAt: time, signsFrom: time });
      else if (knownRecord.firstUsedAt > time) await bringForward(fingerprint, time);
      else await queries.run(USED, { fingerprint, at: time });
    },
    async announce(certificate, { at, signsFrom }) {
      const { fingerprint } = certificate;
      const knownRecord = await find(fingerprint);
      if (!knownRecord) await insertFirst(certificate, { listedAt: at, signsFrom });
      else if (knownRecord.firstUsedAt > signsFrom) await bringForward(fingerprint, signsFrom);
      else return knownRecord;
      const record = await find(fingerprint);
      if (!record) throw new UnexpectedRowError("fingerprint", fingerprint);
      return record;
    },
    list: async () => (await queries.all(LIST, {})).map(recordOf),
    find,
  };
}

function recordOf(row: RowOf<typeof FIND>): CertificateRecord {
  return {
    fingerprint: row.fingerprint,
    subject: row.subject,
    issuer: row.issuer,
    notBefore: row.not_before,
    notAfter: row.not_after,
    listedAt: row.listed_at,
    firstUsedAt: row.first_used_at,
    lastUsedAt: row.last_used_at,
    active: row.active,
    der: row.der,
  };
}
