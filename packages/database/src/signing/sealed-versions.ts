import type { SealedBy } from "@sealhouse/repo-signing/feed";
import type { Seal, StoredPackage } from "@sealhouse/nuget-protocol";
import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import { STORED, storedOf } from "../nuget/statements/package-lookup.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";

/** A version with the signature it is served with. */
export type SealedVersion = StoredPackage & {
  readonly seal: Seal;
  /** Rises from one version to the next, in the order of `sealed`. */
  readonly cursor: number;
};

/** Signed versions by certificate. */
export interface SealedVersions {
  /** Versions after a cursor, at most `limit`; begin with 0. */
  sealed(
    which: SealedBy,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly SealedVersion[]>;
  count(which: SealedBy): Promise<number>;
  /**
   * Returns the number of versions per certificate fingerprint; omits certificates without
   * versions.
   */
  counts(): Promise<ReadonlyMap<string, number>>;
}

const sealedVersions = (db: Kysely<Tables>, compare: "=" | "<>", fingerprint: Expression<string>) =>
  db
    .selectFrom("nuget_versions as v")
    .innerJoin("blobs as b", "b.id", "v.blob_id")
    .where("b.state", "=", sql.lit("live"))
    .where("v.seal_fingerprint", compare, fingerprint);

const FINGERPRINT = { fingerprint: param.text(64) };
const PAGE = { ...FINGERPRINT, after: param.whole, limit: param.whole };

const listing = (name: string, compare: "=" | "<>") =>
  defineStatement(name, PAGE, (db, { fingerprint, after, limit }, own) =>
    own.limit(
      sealedVersions(db, compare, fingerprint)
        .where("v.id", ">", after)
        .select(["v.id", ...STORED])
        .orderBy("v.id"),
      limit,
    ),
  );
const counting = (name: string, compare: "=" | "<>") =>
  defineStatement(name, FINGERPRINT, (db, { fingerprint }) =>
    sealedVersions(db, compare, fingerprint).select(({ fn }) =>
      fn.countAll<number>().as("versions"),
    ),
  );

const SEALED_BY = listing("sealed-by", "=");
const SEALED_NOT_BY = listing("sealed-not-by", "<>");
const COUNT_BY = counting("sealed-count-by", "=");
const COUNT_NOT_BY = counting("sealed-count-not-by", "<>");
const COUNTS = defineStatement("seal-counts", {}, (db) =>
  db
    .selectFrom("nuget_versions")
    .where("seal_fingerprint", "is not", null)
    .groupBy("seal_fingerprint")
    .select(["seal_fingerprint", ({ fn }) => fn.countAll<number>().as("versions")])
    .$narrowType<{ seal_fingerprint: string }>(),
);

/** Reads sealed versions by their certificate. */
export function createSealedVersions(queries: Queries): SealedVersions {
  return {
    async sealed(which, page) {
      const rows = await ("by" in which
        ? queries.all(SEALED_BY, { fingerprint: which.by, ...page })
        : queries.all(SEALED_NOT_BY, { fingerprint: which.notBy, ...page }));
      return rows.flatMap((row) => sealedOf(row) ?? []);
    },
    async count(which) {
      const row = await ("by" in which
        ? queries.one(COUNT_BY, { fingerprint: which.by })
        : queries.one(COUNT_NOT_BY, { fingerprint: which.notBy }));
      return row?.versions ?? 0;
    },
    async counts() {
      const rows = await queries.all(COUNTS, {});
      return new Map(rows.map((row) => [row.seal_fingerprint, row.versions]));
    },
  };
}

function sealedOf(row: RowOf<typeof SEALED_BY>): SealedVersion | undefined {
  const { seal, ...stored } = storedOf(row);
  return seal && { ...stored, seal, cursor: row.id };
}
