import { sql } from "#kysely";
import type { Expression } from "#kysely";
import type { DocumentStore, StoredDocument } from "@sealhouse/http-responses";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PortContext } from "../port-context.ts";
import { UniqueKeyError } from "../raw/query-port.ts";
import { versionBefore } from "../raw/version.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { createDocumentCache } from "./document-cache.ts";
import { documentRowKey } from "./document-row-key.ts";

const KEY = { key: param.text(NAME_LENGTH.document) };
const GROUP = { name: param.text(NAME_LENGTH.document) };

const READ = defineStatement(
  "document",
  KEY,
  (db, { key }) =>
    db
      .selectFrom("documents")
      .where("document_key", "=", key)
      .select(["etag", "content_type", "modified_at", "identity", "gzip", "zstd"]),
  { recall: "absence" },
);
const READ_TAG = defineStatement("document-tag", KEY, (db, { key }) =>
  db.selectFrom("documents").where("document_key", "=", key).select(["etag", "modified_at"]),
);
const REVISION = defineStatement(
  "document-revision",
  GROUP,
  (db, { name }) => db.selectFrom("document_groups").where("name", "=", name).select("revision"),
  { recall: "absence" },
);
const OPEN_GROUP = defineStatement("document-group", GROUP, (db, { name }) =>
  db.insertInto("document_groups").values({ name, revision: sql.lit(0) }),
);

/**
 * Keeps a document only while its group has the given revision. The group's row stays locked until
 * this statement has committed: a change that comes at the same time then waits, and drops the
 * document afterwards. SQLite has one writer, so nothing can come in between.
 */
const KEEP = defineStatement(
  "document-keep",
  {
    ...KEY,
    ...GROUP,
    revision: param.whole,
    etag: param.longText,
    contentType: param.longText,
    modifiedAt: param.time,
    identity: param.bytes,
    gzip: param.optional(param.bytes),
    zstd: param.optional(param.bytes),
  },
  (db, parameters, own) => {
    const value = <T>(of: Expression<T>, column: string) => sql<T>`${of}`.as(column);
    const unchanged = db
      .selectFrom("document_groups")
      .where("name", "=", parameters.name)
      .where("revision", "=", parameters.revision)
      .select([
        value(parameters.key, "document_key"),
        "name as group_name",
        value(parameters.etag, "etag"),
        value(parameters.contentType, "content_type"),
        value(parameters.modifiedAt, "modified_at"),
        value(parameters.identity, "identity"),
        value(parameters.gzip, "gzip"),
        value(parameters.zstd, "zstd"),
      ]);
    return own.upsertFrom("documents", { columns: COLUMNS, rows: own.forShare(unchanged) }, [
      "document_key",
    ]);
  },
);
const COLUMNS = [
  "document_key",
  "group_name",
  "etag",
  "content_type",
  "modified_at",
  "identity",
  "gzip",
  "zstd",
] as const;

/**
 * Stores documents as rows, with a bounded cache. Every read asks the database. A cached document
 * is valid while its row has the same entity tag, or while nothing was committed, where the
 * database reports that cheaply.
 */
export function createDocumentStore(
  { port, queries }: Pick<PortContext, "port" | "queries">,
  cacheBytes: number,
): DocumentStore {
  const cache = createDocumentCache(cacheBytes);
  const { versions } = port;
  return {
    async read(key) {
      const entry = cache.get(key);
      const version = versions && (await (entry ? versions.current() : versionBefore(versions)));
      if (entry && version !== undefined && entry.version === version) return entry.document;
      const row = { key: documentRowKey(key) };
      if (entry) {
        const tag = await queries.one(READ_TAG, row);
        if (tag && isSame(entry.document, tag)) {
          cache.set(key, { document: entry.document, version });
          return entry.document;
        }
        cache.delete(key);
        if (!tag) return undefined;
      }
      const stored = await queries.one(READ, row);
      if (!stored) return undefined;
      const document = documentOf(stored);
      cache.set(key, { document, version });
      return document;
    },
    revision: (group) => revisionOf(queries, group),
    async keep({ key, group, revision, document }) {
      const name = documentRowKey(group);
      if (revision === 0) await openGroup(queries, name);
      const { gzip, zstd } = document;
      const row = { key: documentRowKey(key), name, revision, ...document, gzip, zstd };
      await queries.run(KEEP, row);
    },
  };
}

/** Inserts the row of a group that never changed, because only a row can be locked. */
async function openGroup(queries: Queries, name: string): Promise<void> {
  if (await queries.one(REVISION, { name })) return;
  try {
    await queries.run(OPEN_GROUP, { name });
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
  }
}

/** Returns the revision of a group; 0 for a group that never changed. */
export async function revisionOf(queries: Queries, group: string): Promise<number> {
  return (await queries.one(REVISION, { name: documentRowKey(group) }))?.revision ?? 0;
}

function isSame(document: StoredDocument, row: RowOf<typeof READ_TAG>): boolean {
  return document.etag === row.etag && document.modifiedAt.getTime() === row.modified_at.getTime();
}

function documentOf(row: RowOf<typeof READ>): StoredDocument {
  return {
    etag: row.etag,
    contentType: row.content_type,
    modifiedAt: row.modified_at,
    identity: row.identity,
    ...(row.gzip !== null && { gzip: row.gzip }),
    ...(row.zstd !== null && { zstd: row.zstd }),
  };
}
