import type { CertificateLedger, CertificateRecord } from "@sealhouse/repo-signing";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { UnexpectedRowError } from "../errors.ts";
import { bytesOf, flagOf, optionalTimeOf, textOf, timeOf } from "../raw/row.ts";

const COLUMNS =
  "fingerprint, subject, issuer, not_before, not_after, listed_at, first_used_at, last_used_at, " +
  "active, der";
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

/** It signs sooner than it was to. */
const BRING_FORWARD: Statement = {
  name: "certificate-bring-forward",
  sql: `update signing_certificates set first_used_at = ?, last_used_at = ?
    where fingerprint = ? and first_used_at > ?`,
};

export type Used = Parameters<CertificateLedger["used"]>[0];

export type ListedCertificateTimes = { readonly listedAt: Date; readonly signsFrom: Date };

/** `insertFirst` loads the ORM, which only a certificate's first use needs. */
export function createCertificateLedger(
  port: QueryPort,
  insertFirst: (certificate: Used, times: ListedCertificateTimes) => Promise<void>,
): CertificateLedger {
  const find = async (fingerprint: string) => {
    const row = await port.one(FIND, [fingerprint]);
    return row && recordOf(row);
  };
  const bringForward = (fingerprint: string, to: Date) =>
    port.run(BRING_FORWARD, [to, to, fingerprint, to]);
  return {
    async used(certificate, at) {
      const { fingerprint } = certificate;
      const known = await find(fingerprint);
      if (!known) await insertFirst(certificate, { listedAt: at, signsFrom: at });
      else if (known.firstUsedAt > at) await bringForward(fingerprint, at);
      else await port.run(USED, [at, fingerprint, at]);
    },
    async announce(certificate, { at, signsFrom }) {
      const { fingerprint } = certificate;
      const known = await find(fingerprint);
      if (!known) await insertFirst(certificate, { listedAt: at, signsFrom });
      else if (known.firstUsedAt > signsFrom) await bringForward(fingerprint, signsFrom);
      else return known;
      const record = await find(fingerprint);
      if (!record) throw new UnexpectedRowError("fingerprint", fingerprint);
      return record;
    },
    list: async () => (await port.all(LIST, [])).map(recordOf),
    find,
  };
}

function recordOf(row: Row): CertificateRecord {
  return {
    fingerprint: textOf(row, "fingerprint"),
    subject: textOf(row, "subject"),
    issuer: textOf(row, "issuer"),
    notBefore: timeOf(row, "not_before"),
    notAfter: timeOf(row, "not_after"),
    listedAt: optionalTimeOf(row, "listed_at") ?? timeOf(row, "first_used_at"),
    firstUsedAt: timeOf(row, "first_used_at"),
    lastUsedAt: timeOf(row, "last_used_at"),
    active: flagOf(row, "active"),
    der: bytesOf(row, "der"),
  };
}
