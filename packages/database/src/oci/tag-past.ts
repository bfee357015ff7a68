import { sql } from "#kysely";
import type { TagPast } from "@sealhouse/oci-distribution";
import { parseDigest } from "@sealhouse/oci-distribution";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { ociParam } from "./oci-param.ts";

const AT = { repository: ociParam.repositoryName, time: param.time };

const DIGEST = defineStatement(
  "oci-tag-digest-at",
  { ...AT, tag: ociParam.tag },
  (db, { repository, time, tag }) =>
    db
      .selectFrom("history")
      .where("protocol", "=", sql.lit("oci"))
      .where("name", "=", repository)
      .where("kind", "=", sql.lit("tag"))
      .where("item", "=", tag)
      .where("valid_from", "<=", time)
      .where("valid_to", ">", time)
      .select("value"),
  { recall: "rows" },
);
const TAGS = defineStatement(
  "oci-tags-at",
  { ...AT, after: ociParam.tag, limit: param.whole },
  (db, { repository, time, after, limit }, own) =>
    own.limit(
      db
        .selectFrom("history")
        .where("protocol", "=", sql.lit("oci"))
        .where("name", "=", repository)
        .where("kind", "=", sql.lit("tag"))
        .where("item", ">", after)
        .where("valid_from", "<=", time)
        .where("valid_to", ">", time)
        .select("item")
        .orderBy("item"),
      limit,
    ),
);

const DELETED = defineStatement(
  "oci-manifest-deleted",
  { repository: ociParam.repositoryName, digest: ociParam.digest },
  (db, { repository, digest }) =>
    db
      .selectFrom("oci_repositories as r")
      .innerJoin("oci_manifests as m", "m.repository_id", "r.id")
      .where("r.name", "=", repository)
      .where("m.digest", "=", digest)
      .where("m.deleted_at", "is not", null)
      .select(["m.digest", "m.media_type", "m.bytes"]),
);

export function createTagPast(queries: Queries, beginning: TagPast["beginning"]): TagPast {
  return {
    async digest(repository, tag, time) {
      const row = await queries.one(DIGEST, { repository, tag, time });
      return row && parseDigest(row.value);
    },
    async tags(repository, time, { limit, after = "" }) {
      const rows = await queries.all(TAGS, { repository, time, after, limit });
      return rows.map(({ item }) => item);
    },
    async deleted(repository, digest) {
      const row = await queries.one(DELETED, { repository, digest });
      return (
        row && { digest: parseDigest(row.digest), mediaType: row.media_type, bytes: row.bytes }
      );
    },
    beginning,
  };
}
