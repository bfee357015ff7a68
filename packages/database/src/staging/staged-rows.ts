import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import type { NamedBlob } from "@sealhouse/npm-protocol";
import { sha256Of } from "../blobs/digest.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";

// Versions of all protocols that wait for approval. The columns `summary` and `details` contain
// protocol-specific text, which only that protocol reads and writes.

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

const COLUMNS = [
  "s.id",
  "s.name",
  "s.version",
  "s.summary",
  "s.actor",
  "s.created_at",
  "s.expires_at",
] as const;
const BLOB = ["b.storage_key", "b.size", "b.digest"] as const;

const WAITING = { protocol: param.text(NAME_LENGTH.protocol), now: param.time };
const ONE = { ...WAITING, id: param.text(36) };

const waiting = (
  db: Kysely<Tables>,
  { protocol, now }: { readonly protocol: Expression<string>; readonly now: Expression<Date> },
) =>
  db
    .selectFrom("staged_versions as s")
    .where("s.protocol", "=", protocol)
    .where("s.expires_at", ">", now);
const waitingWithBlob = (db: Kysely<Tables>, parameters: Parameters<typeof ONE>) =>
  waiting(db, parameters)
    .innerJoin("blobs as b", "b.id", "s.blob_id")
    .where("s.id", "=", parameters.id)
    .where("b.state", "=", sql.lit("live"));

const LIST = defineStatement("staged-versions", WAITING, (db, parameters) =>
  waiting(db, parameters).select(COLUMNS).orderBy("s.created_at", "desc").orderBy("s.id"),
);
const OF_NAME = defineStatement(
  "staged-versions-of-name",
  { ...WAITING, name: param.text(255) },
  (db, parameters) =>
    waiting(db, parameters)
      .where("s.name", "=", parameters.name)
      .select(COLUMNS)
      .orderBy("s.created_at", "desc")
      .orderBy("s.id"),
);
const FIND = defineStatement("staged-version", ONE, (db, parameters) =>
  waitingWithBlob(db, parameters).select([...COLUMNS, ...BLOB]),
);
const DETAILS = defineStatement("staged-version-details", ONE, (db, parameters) =>
  waitingWithBlob(db, parameters).select(["s.details", ...BLOB]),
);

export type StagedRows = {
  /** Newest first. */
  list(name: string | undefined): Promise<readonly StagedRow[]>;
  find(id: string): Promise<(StagedRow & { readonly blob: NamedBlob }) | undefined>;
  details(id: string): Promise<{ details: string; blob: NamedBlob } | undefined>;
};

/** Reads unexpired staged versions. */
export function createStagedRows(
  queries: Queries,
  protocol: StagedProtocol,
  now: () => Date,
): StagedRows {
  return {
    async list(name) {
      const rows =
        name === undefined
          ? await queries.all(LIST, { protocol, now: now() })
          : await queries.all(OF_NAME, { protocol, name, now: now() });
      return rows.map(stagedRow);
    },
    async find(id) {
      const row = await queries.one(FIND, { id, protocol, now: now() });
      return row && { ...stagedRow(row), blob: blobOf(row) };
    },
    async details(id) {
      const row = await queries.one(DETAILS, { id, protocol, now: now() });
      return row && { details: row.details, blob: blobOf(row) };
    },
  };
}

function stagedRow(row: RowOf<typeof LIST>): StagedRow {
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    summary: row.summary,
    actor: row.actor,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

function blobOf(row: Pick<RowOf<typeof FIND>, "storage_key" | "size" | "digest">): NamedBlob {
  return { key: row.storage_key, size: row.size, sha256: sha256Of(row.digest) };
}
