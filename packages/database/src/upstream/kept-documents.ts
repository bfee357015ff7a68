import { hash } from "node:crypto";
import type { DocumentKey, KeptDocument, KeptDocuments } from "@sealhouse/upstream-sources";
import { documentRowKey } from "../documents/document-row-key.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PortContext } from "../port-context.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { claimGroupOf, claimMirrored } from "./name-origins.ts";

const KEY = { key: param.text(NAME_LENGTH.document) };

const FIND = defineStatement("upstream-document", KEY, (db, { key }) =>
  db
    .selectFrom("upstream_documents")
    .where("document_key", "=", key)
    .select(["status", "revision", "etag", "last_modified", "checked_at", "gone_since"]),
);
const CONTENT = defineStatement("upstream-document-content", KEY, (db, { key }) =>
  db.selectFrom("upstream_documents").where("document_key", "=", key).select("content"),
);
const STATE = {
  ...KEY,
  status: param.text(16),
  revision: param.text(64),
  etag: param.optional(param.longText),
  lastModified: param.optional(param.longText),
  checkedAt: param.time,
  goneSince: param.optional(param.time),
};
const PUT = defineStatement(
  "upstream-document-put",
  { ...STATE, source: param.text(64), content: param.optional(param.bytes) },
  (_db, { key, source, ...row }, own) =>
    own.upsert(
      "upstream_documents",
      { ...inColumns(row), document_key: key, source_hash: source },
      ["document_key"],
    ),
);
const UPDATE = defineStatement("upstream-document-update", STATE, (db, { key, ...row }) =>
  db.updateTable("upstream_documents").set(inColumns(row)).where("document_key", "=", key),
);
const DROP_ABSENT = defineStatement(
  "upstream-documents-drop-absent",
  { before: param.time },
  (db, { before }) =>
    db
      .deleteFrom("upstream_documents")
      .where("status", "=", "absent")
      .where("checked_at", "<", before),
);
const COUNT = defineStatement("upstream-documents-count", {}, (db) =>
  db
    .selectFrom("upstream_documents")
    .where("status", "=", "found")
    .select(({ fn }) => fn.countAll<number>().as("count")),
);

export function createKeptDocuments({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): KeptDocuments {
  return {
    async find(key) {
      const row = await queries.one(FIND, { key: rowKeyOf(key) });
      return row && keptOf(row);
    },
    async bytes(key) {
      return (await queries.one(CONTENT, { key: rowKeyOf(key) }))?.content ?? undefined;
    },
    async put(key, kept, staleGroups, claim) {
      const { bytes: content, status, revision, etag, lastModified, checkedAt, goneSince } = kept;
      const row = rowKeyOf(key);
      const state = { key: row, status, revision, etag, lastModified, checkedAt, goneSince };
      const source = hash("sha256", key.source);
      const groups = new Set([...staleGroups, ...(claim ? [claimGroupOf(claim)] : [])]);
      await changes.transaction(async (unit) => {
        if (groups.size > 0) await changes.staleAll(unit, [...groups]);
        const keepsBytes = content === undefined && status === "found";
        if (keepsBytes) await unit.queries.run(UPDATE, state);
        else await unit.queries.run(PUT, { ...state, source, content });
        if (claim) await claimMirrored(unit, claim, changes.now());
      });
    },
    count: async () => (await queries.one(COUNT, {}))?.count ?? 0,
    dropAbsent: (before) => queries.run(DROP_ABSENT, { before }),
  };
}

function rowKeyOf({ protocol, source, kind, name, part }: DocumentKey): string {
  const address = hash("sha256", source).slice(0, 32);
  return documentRowKey(`${protocol}/${address}/${kind}/${name}/${part}`);
}

function keptOf(row: RowOf<typeof FIND>): KeptDocument {
  return {
    status: row.status === "absent" ? "absent" : "found",
    revision: row.revision,
    ...(row.etag !== null && { etag: row.etag }),
    ...(row.last_modified !== null && { lastModified: row.last_modified }),
    checkedAt: row.checked_at,
    ...(row.gone_since !== null && { goneSince: row.gone_since }),
  };
}
