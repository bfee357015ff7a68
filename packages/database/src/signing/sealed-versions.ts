import type { SealedBy } from "@sealhouse/repo-signing/feed";
import type { Seal, StoredPackage } from "@sealhouse/nuget-protocol";
import { STORED_COLUMNS, storedOf } from "../nuget/package-lookup.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, textOf } from "../raw/row.ts";

/** A version with the signature it is served with. */
export type SealedVersion = StoredPackage & {
  readonly seal: Seal;
  /** Rises from one version to the next, in the order of `sealed`. */
  readonly cursor: number;
};

/** Versions by the certificate that vouches for them. */
export interface SealedVersions {
  /** Versions after a cursor, at most `limit`; begin with 0. */
  sealed(
    which: SealedBy,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly SealedVersion[]>;
  count(which: SealedBy): Promise<number>;
  /** How many versions each certificate vouches for, by fingerprint; none where it is 0. */
  counts(): Promise<ReadonlyMap<string, number>>;
}

const FROM = `from nuget_versions v join blobs b on b.id = v.blob_id
  where b.state = 'live' and v.seal_fingerprint`;
const COUNTS: Statement = {
  name: "seal-counts",
  sql: `select seal_fingerprint, count(*) as versions from nuget_versions
    where seal_fingerprint is not null group by seal_fingerprint`,
};

export function createSealedVersions(port: QueryPort): SealedVersions {
  return {
    async sealed(which, { after, limit }) {
      const { name, compare, fingerprint } = queryOf(which);
      const sql = `select v.id, ${STORED_COLUMNS} ${FROM} ${compare} ?
        and v.id > ? order by v.id limit ?`;
      const rows = await port.all({ name: `sealed-${name}`, sql }, [fingerprint, after, limit]);
      return rows.flatMap((row) => sealedOf(row) ?? []);
    },
    async count(which) {
      const { name, compare, fingerprint } = queryOf(which);
      const sql = `select count(*) as versions ${FROM} ${compare} ?`;
      const row = await port.one({ name: `sealed-count-${name}`, sql }, [fingerprint]);
      return row ? numberOf(row, "versions") : 0;
    },
    async counts() {
      const rows = await port.all(COUNTS, []);
      return new Map(
        rows.map((row) => [textOf(row, "seal_fingerprint"), numberOf(row, "versions")]),
      );
    },
  };
}

function queryOf(which: SealedBy) {
  return "by" in which
    ? { name: "by", compare: "=", fingerprint: which.by }
    : { name: "not-by", compare: "<>", fingerprint: which.notBy };
}

function sealedOf(row: Row): SealedVersion | undefined {
  const { seal, ...stored } = storedOf(row);
  return seal && { ...stored, seal, cursor: numberOf(row, "id") };
}
