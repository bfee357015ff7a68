import type { CertificateList, ListedCertificate } from "@sealhouse/nuget-protocol";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { bytesOf, textOf, timeOf } from "../raw/row.ts";

const COLUMNS = "fingerprint, subject, issuer, not_before, not_after, der";
const ALL: Statement = {
  name: "certificates-active",
  sql: `select ${COLUMNS} from signing_certificates where active = ? order by first_used_at`,
};
const FIND: Statement = {
  name: "certificate-active",
  sql: `select ${COLUMNS} from signing_certificates where fingerprint = ? and active = ?`,
};
/** A version that could be served without a signature of a listed certificate. */
const UNSEALED: Statement = {
  name: "unsealed-version",
  sql: `select v.id from nuget_versions v
    left join signing_certificates c on c.fingerprint = v.seal_fingerprint and c.active = ?
    where c.fingerprint is null limit 1`,
};
const ANY_VERSION: Statement = {
  name: "any-version",
  sql: "select id from nuget_versions limit 1",
};

export function createCertificateList(
  port: QueryPort,
  options: { readonly advertiseAllSigned: boolean },
): CertificateList {
  return {
    all: async () => (await port.all(ALL, [true])).map(listedOf),
    async find(fingerprint) {
      const row = await port.one(FIND, [fingerprint, true]);
      return row && listedOf(row);
    },
    async allRepositorySigned() {
      if (!options.advertiseAllSigned) return false;
      if (!(await port.one(ANY_VERSION, []))) return true;
      return (await port.one(UNSEALED, [true])) === undefined;
    },
  };
}

function listedOf(row: Row): ListedCertificate {
  return {
    fingerprint: textOf(row, "fingerprint"),
    subject: textOf(row, "subject"),
    issuer: textOf(row, "issuer"),
    notBefore: timeOf(row, "not_before"),
    notAfter: timeOf(row, "not_after"),
    der: bytesOf(row, "der"),
  };
}
