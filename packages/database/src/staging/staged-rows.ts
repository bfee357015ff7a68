import type { NamedBlob } from "@sealhouse/npm-protocol";
import { sha256Of } from "../blobs/digest.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, textOf, timeOf } from "../raw/row.ts";

// Versions that wait for approval, the same for every protocol: what is particular to one stands in
// `summary` and `details`, as text that the protocol's own part writes and reads.

export type StagedProtocol = "nuget" | "npm";

export type StagedRow = {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  readonly actor: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

const COLUMNS = "s.id, s.name, s.version, s.summary, s.actor, s.created_at, s.expires_at";
const LIST: Statement = {
  name: "staged-versions",
  sql: `select ${COLUMNS} from staged_versions s where s.protocol = ? and s.expires_at > ?
    order by s.created_at desc, s.id`,
};
const OF_NAME: Statement = {
  name: "staged-versions-of-name",
  sql: `select ${COLUMNS} from staged_versions s
    where s.protocol = ? and s.name = ? and s.expires_at > ? order by s.created_at desc, s.id`,
};
const FIND: Statement = {
  name: "staged-version",
  sql: `select ${COLUMNS}, b.storage_key, b.size, b.digest
    from staged_versions s join blobs b on b.id = s.blob_id
    where s.id = ? and s.protocol = ? and s.expires_at > ? and b.state = 'live'`,
};
const DETAILS: Statement = {
  name: "staged-version-details",
  sql: `select s.details, b.storage_key, b.size, b.digest
    from staged_versions s join blobs b on b.id = s.blob_id
    where s.id = ? and s.protocol = ? and s.expires_at > ? and b.state = 'live'`,
};

export type StagedRows = {
  /** Newest first. */
  list(name: string | undefined): Promise<readonly StagedRow[]>;
  find(id: string): Promise<(StagedRow & { readonly blob: NamedBlob }) | undefined>;
  details(id: string): Promise<{ details: string; blob: NamedBlob } | undefined>;
};

/** Those that have not expired. */
export function createStagedRows(
  port: QueryPort,
  protocol: StagedProtocol,
  now: () => Date,
): StagedRows {
  return {
    async list(name) {
      const rows =
        name === undefined
          ? await port.all(LIST, [protocol, now()])
          : await port.all(OF_NAME, [protocol, name, now()]);
      return rows.map(stagedRow);
    },
    async find(id) {
      const row = await port.one(FIND, [id, protocol, now()]);
      return row && { ...stagedRow(row), blob: blobOf(row) };
    },
    async details(id) {
      const row = await port.one(DETAILS, [id, protocol, now()]);
      return row && { details: textOf(row, "details"), blob: blobOf(row) };
    },
  };
}

function stagedRow(row: Row): StagedRow {
  return {
    id: textOf(row, "id"),
    name: textOf(row, "name"),
    version: textOf(row, "version"),
    summary: textOf(row, "summary"),
    actor: textOf(row, "actor"),
    createdAt: timeOf(row, "created_at"),
    expiresAt: timeOf(row, "expires_at"),
  };
}

function blobOf(row: Row): NamedBlob {
  return {
    key: textOf(row, "storage_key"),
    size: numberOf(row, "size"),
    sha256: sha256Of(textOf(row, "digest")),
  };
}
