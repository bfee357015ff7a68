import type { CertificateList, ListedCertificate } from "@sealhouse/nuget-protocol";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { bytesOf, textOf, timeOf } from "../raw/row.ts";

const COLUMNS = "fingerprint, subject, issuer, not_before, not_after, der";
const ALL: Statement = {
  name: "certificates-active",
  sql: `select ${COLUMNS} from signing_certificates where active = ? order by first_used_at`,
};
const FIND: Statement = {
  name: "certificate-any",
  sql: `select ${COLUMNS} from signing_certificates where fingerprint = ?`,
};
const IS_ACTIVE: Statement = {
  name: "certificate-active",
  sql: "select fingerprint from signing_certificates where fingerprint = ? and active = ?",
};
/** Served as it came, or not signed before it is asked for. */
const UNSEALED: Statement = {
  name: "unsealed-version",
  sql: "select id from nuget_versions where seal_fingerprint is null limit 1",
};
/** Walks from one certificate to the next along the index: asked at every restore, this must not
 * look at every version. */
const NEXT_SEALED_BY: Statement = {
  name: "next-sealed-by",
  sql: `select seal_fingerprint from nuget_versions where seal_fingerprint > ?
    order by seal_fingerprint limit 1`,
};

export function createCertificateList(
  port: QueryPort,
  options: { readonly advertiseAllSigned: boolean },
): CertificateList {
  return {
    all: async () => (await port.all(ALL, [true])).map(listedOf),
    async find(fingerprint) {
      const row = await port.one(FIND, [fingerprint]);
      return row && listedOf(row);
    },
    async allRepositorySigned() {
      if (!options.advertiseAllSigned) return false;
      if (await port.one(UNSEALED, [])) return false;
      for (let last = ""; ;) {
        const row = await port.one(NEXT_SEALED_BY, [last]);
        if (!row) return true;
        last = textOf(row, "seal_fingerprint");
        if (!(await port.one(IS_ACTIVE, [last, true]))) return false;
      }
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
