import type { CertificateLedger, CertificateRecord } from "@sealhouse/repo-signing";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { bytesOf, flagOf, textOf, timeOf } from "../raw/row.ts";

const COLUMNS =
  "fingerprint, subject, issuer, not_before, not_after, first_used_at, last_used_at, active, der";
const LIST: Statement = {
  name: "certificates",
  sql: `select ${COLUMNS} from signing_certificates order by first_used_at`,
};
const FIND: Statement = {
  name: "certificate",
  sql: `select ${COLUMNS} from signing_certificates where fingerprint = ?`,
};
const USED: Statement = {
  name: "certificate-used",
  sql: `update signing_certificates set last_used_at = ?
    where fingerprint = ? and last_used_at < ?`,
};

export type Used = Parameters<CertificateLedger["used"]>[0];

/** `insertFirst` loads the ORM, which only a certificate's first use needs. */
export function createCertificateLedger(
  port: QueryPort,
  insertFirst: (certificate: Used, at: Date) => Promise<void>,
): CertificateLedger {
  return {
    async used(certificate, at) {
      const known = await port.one(FIND, [certificate.fingerprint]);
      if (!known) await insertFirst(certificate, at);
      else await port.run(USED, [at, certificate.fingerprint, at]);
    },
    list: async () => (await port.all(LIST, [])).map(recordOf),
    async find(fingerprint) {
      const row = await port.one(FIND, [fingerprint]);
      return row && recordOf(row);
    },
  };
}

function recordOf(row: Row): CertificateRecord {
  return {
    fingerprint: textOf(row, "fingerprint"),
    subject: textOf(row, "subject"),
    issuer: textOf(row, "issuer"),
    notBefore: timeOf(row, "not_before"),
    notAfter: timeOf(row, "not_after"),
    firstUsedAt: timeOf(row, "first_used_at"),
    lastUsedAt: timeOf(row, "last_used_at"),
    active: flagOf(row, "active"),
    der: bytesOf(row, "der"),
  };
}
