import type { DocumentStore, StoredDocument } from "@sealhouse/http-responses";
import type { DatabaseConfig } from "../connection-string.ts";
import { UniqueKeyError } from "../raw/query-port.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { bytesOf, numberOf, optionalBytesOf, textOf, timeOf } from "../raw/row.ts";
import { createDocumentCache } from "./document-cache.ts";
import { documentRowKey } from "./document-row-key.ts";

const READ: Statement = {
  name: "document",
  sql:
    "select etag, content_type, modified_at, identity, gzip, zstd" +
    " from documents where document_key = ?",
  recall: "absence",
};
const READ_TAG: Statement = {
  name: "document-tag",
  sql: "select etag, modified_at from documents where document_key = ?",
};
const REVISION: Statement = {
  name: "document-revision",
  sql: "select revision from document_groups where name = ?",
  recall: "absence",
};
const OPEN_GROUP: Statement = {
  name: "document-group",
  sql: "insert into document_groups (name, revision) values (?, 0)",
};

const COLUMNS = "document_key, group_name, etag, content_type, modified_at, identity, gzip, zstd";
const REPLACE = `on conflict (document_key) do update set group_name = excluded.group_name,
  etag = excluded.etag, content_type = excluded.content_type, modified_at = excluded.modified_at,
  identity = excluded.identity, gzip = excluded.gzip, zstd = excluded.zstd`;

/**
 * Keeps a document only while its group has the given revision. The group's row stays locked until
 * this statement has committed: a change that comes at the same time then waits, and drops the
 * document afterwards. SQLite has one writer, so nothing can come in between.
 */
const KEEP: Readonly<Record<DatabaseConfig["type"], Statement>> = {
  Sqlite: {
    name: "document-keep",
    sql: `insert into documents (${COLUMNS}) select ?, name, ?, ?, ?, ?, ?, ?
      from document_groups where name = ? and revision = ? ${REPLACE}`,
  },
  PostgreSQL: {
    name: "document-keep",
    sql: `with unchanged as (select name, revision from document_groups
        where name = $8 for share)
      insert into documents (${COLUMNS}) select $1, name, $2, $3, $4, $5, $6, $7
      from unchanged where revision = $9 ${REPLACE}`,
  },
  MySql: {
    name: "document-keep",
    sql: `insert into documents (${COLUMNS}) select ?, name, ?, ?, ?, ?, ?, ?
      from document_groups where name = ? and revision = ? lock in share mode ${REPLACE}`,
  },
};

/**
 * Stores documents as rows, with a bounded cache. Every read queries the database. A cached
 * document is valid while its row has the same entity tag, or while nothing was committed, where
 * the database reports that cheaply.
 */
export function createDocumentStore(
  port: QueryPort,
  options: { readonly type: DatabaseConfig["type"]; readonly cacheBytes: number },
): DocumentStore {
  const cache = createDocumentCache(options.cacheBytes);
  return {
    async read(key) {
      const mark = port.changeMark?.();
      const known = cache.get(key);
      if (known && mark !== undefined && known.mark === mark) return known.document;
      const parameters = [documentRowKey(key)];
      if (known) {
        const tag = await port.one(READ_TAG, parameters);
        if (tag && isSame(known.document, tag)) {
          cache.set(key, { document: known.document, mark });
          return known.document;
        }
        cache.delete(key);
        if (!tag) return undefined;
      }
      const row = await port.one(READ, parameters);
      if (!row) return undefined;
      const document = documentOf(row);
      cache.set(key, { document, mark });
      return document;
    },
    revision: (group) => revisionOf(port, documentRowKey(group)),
    async keep({ key, group, revision, document }) {
      const name = documentRowKey(group);
      if (revision === 0) await openGroup(port, name);
      const { etag, contentType, modifiedAt, identity, gzip, zstd } = document;
      const wire = [etag, contentType, modifiedAt, identity, gzip, zstd];
      await port.run(KEEP[options.type], [documentRowKey(key), ...wire, name, revision]);
    },
  };
}

/** Inserts the row of a group that never changed, because only a row can be locked. */
async function openGroup(port: QueryPort, name: string): Promise<void> {
  if (await port.one(REVISION, [name])) return;
  try {
    await port.run(OPEN_GROUP, [name]);
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
  }
}

async function revisionOf(port: QueryPort, name: string): Promise<number> {
  const row = await port.one(REVISION, [name]);
  return row ? numberOf(row, "revision") : 0;
}

function isSame(document: StoredDocument, row: Row): boolean {
  return (
    document.etag === textOf(row, "etag") &&
    document.modifiedAt.getTime() === timeOf(row, "modified_at").getTime()
  );
}

function documentOf(row: Row): StoredDocument {
  const gzip = optionalBytesOf(row, "gzip");
  const zstd = optionalBytesOf(row, "zstd");
  return {
    etag: textOf(row, "etag"),
    contentType: textOf(row, "content_type"),
    modifiedAt: timeOf(row, "modified_at"),
    identity: bytesOf(row, "identity"),
    ...(gzip !== undefined && { gzip }),
    ...(zstd !== undefined && { zstd }),
  };
}
