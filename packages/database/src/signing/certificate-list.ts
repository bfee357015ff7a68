import type { CertificateList, ListedCertificate } from "@sealhouse/nuget-protocol";
import { sql } from "#kysely";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

const COLUMNS = ["fingerprint", "subject", "issuer", "not_before", "not_after", "der"] as const;
const FINGERPRINT = { fingerprint: param.text(64) };

const ALL = defineStatement("certificates-active", {}, (db, _given, own) =>
  db
    .selectFrom("signing_certificates")
    .select(COLUMNS)
    .where("active", "=", own.yes)
    .orderBy("first_used_at"),
);
/** Certificates of other repositories. */
const UPSTREAM = defineStatement("certificates-upstream", {}, (db) =>
  db.selectFrom("upstream_certificates").select(COLUMNS).orderBy("fingerprint"),
);
const FIND_UPSTREAM = defineStatement("certificate-upstream", FINGERPRINT, (db, { fingerprint }) =>
  db.selectFrom("upstream_certificates").select(COLUMNS).where("fingerprint", "=", fingerprint),
);
const FIND = defineStatement("certificate-any", FINGERPRINT, (db, { fingerprint }) =>
  db.selectFrom("signing_certificates").select(COLUMNS).where("fingerprint", "=", fingerprint),
);
const FIND_ACTIVE = defineStatement("certificate-active", FINGERPRINT, (db, { fingerprint }, own) =>
  db
    .selectFrom("signing_certificates")
    .select("fingerprint")
    .where("fingerprint", "=", fingerprint)
    .where("active", "=", own.yes),
);
/** A version without a stored signature. */
const UNSEALED = defineStatement("unsealed-version", {}, (db, _given, own) =>
  own.limit(
    db.selectFrom("nuget_versions").select("id").where("seal_fingerprint", "is", null),
    sql.lit(1),
  ),
);
/** Walks from one certificate to the next along the index: asked at every restore, this must not
 * look at every version. */
const NEXT_SEALED_BY = defineStatement(
  "next-sealed-by",
  { last: param.text(64) },
  (db, { last }, own) =>
    own.limit(
      db
        .selectFrom("nuget_versions")
        .select("seal_fingerprint")
        .where("seal_fingerprint", ">", last)
        .orderBy("seal_fingerprint"),
      sql.lit(1),
    ),
);

export function createCertificateList(
  queries: Queries,
  options: { readonly advertiseAllSigned: boolean },
): CertificateList {
  return {
    async all() {
      const own = (await queries.all(ALL, {})).map(listedOf);
      const known = new Set(own.map(({ fingerprint }) => fingerprint));
      const others = (await queries.all(UPSTREAM, {})).map(listedOf);
      return [...own, ...others.filter(({ fingerprint }) => !known.has(fingerprint))];
    },
    async find(fingerprint) {
      const row =
        (await queries.one(FIND, { fingerprint })) ??
        (await queries.one(FIND_UPSTREAM, { fingerprint }));
      return row && listedOf(row);
    },
    async allRepositorySigned() {
      if (!options.advertiseAllSigned) return false;
      if (await queries.one(UNSEALED, {})) return false;
      for (let last = ""; ;) {
        const fingerprint = (await queries.one(NEXT_SEALED_BY, { last }))?.seal_fingerprint;
        if (!fingerprint) return true;
        if (!(await queries.one(FIND_ACTIVE, { fingerprint }))) return false;
        last = fingerprint;
      }
    },
  };
}

function listedOf(row: RowOf<typeof FIND>): ListedCertificate {
  return {
    fingerprint: row.fingerprint,
    subject: row.subject,
    issuer: row.issuer,
    notBefore: row.not_before,
    notAfter: row.not_after,
    der: row.der,
  };
}
