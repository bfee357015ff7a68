import { expressionBuilder, sql } from "#kysely";
import type { Kysely } from "#kysely";
import { isDigest, parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { ManifestCatalog, Page, StoredManifest } from "@sealhouse/oci-distribution";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";
import { clockOf, isDue } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { ociParam } from "./oci-param.ts";
import { findListedRepository, manifestsOf, touchManifest } from "./oci-rows.ts";
import { createReferrerPages } from "./referrer-pages.ts";
import type { TagPulls } from "./tag-pulls.ts";

const REFERENCE = {
  repository: ociParam.repositoryName,
  /** A digest or a tag. */
  reference: ociParam.digest,
};
const RECALL = { recall: "rows" } as const;
const COLUMNS = ["m.id", "m.digest", "m.media_type", "m.bytes", "m.touched_at"] as const;

/** By tag or by digest, and the same with whether a blob is damaged, for answers without bytes. */
const BY_DIGEST = defineStatement("oci-manifest-by-digest", REFERENCE, byDigest, RECALL);
const BY_TAG = defineStatement("oci-manifest-by-tag", REFERENCE, byTag, RECALL);
const WHOLE_BY_DIGEST = defineStatement(
  "oci-manifest-whole-by-digest",
  REFERENCE,
  (db, parameters) => byDigest(db, parameters).select(() => namesDamaged(db)),
  RECALL,
);
const WHOLE_BY_TAG = defineStatement(
  "oci-manifest-whole-by-tag",
  REFERENCE,
  (db, parameters) => byTag(db, parameters).select(() => namesDamaged(db)),
  RECALL,
);
const TAGS = defineStatement(
  "oci-tags",
  { repository: param.whole, after: ociParam.tag, limit: param.whole },
  (db, { repository, after, limit }, own) =>
    own.limit(
      db
        .selectFrom("oci_tags")
        .where("repository_id", "=", repository)
        .where("tag", ">", after)
        .select("tag")
        .orderBy("tag"),
      limit,
    ),
);
const REPOSITORIES = defineStatement(
  "oci-repositories",
  { after: ociParam.repositoryName, limit: param.whole },
  (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("oci_repositories as r")
        .where("r.name", ">", after)
        .where((row) => row.exists(manifestsOf(row.ref("r.id"))))
        .select("r.name")
        .orderBy("r.name"),
      limit,
    ),
);

type Reference = Parameters<typeof REFERENCE>;

function byDigest(db: Kysely<Tables>, { repository, reference }: Reference) {
  return db
    .selectFrom("oci_repositories as r")
    .innerJoin("oci_manifests as m", "m.repository_id", "r.id")
    .where("r.name", "=", repository)
    .where("m.digest", "=", reference)
    .where("m.deleted_at", "is", null)
    .select(COLUMNS);
}

function byTag(db: Kysely<Tables>, { repository, reference }: Reference) {
  return db
    .selectFrom("oci_repositories as r")
    .innerJoin("oci_tags as t", "t.repository_id", "r.id")
    .innerJoin("oci_manifests as m", "m.id", "t.manifest_id")
    .where("r.name", "=", repository)
    .where("t.tag", "=", reference)
    .select([...COLUMNS, "t.repository_id", "t.pulled_at"]);
}

/** Whether the manifest `m`, or one that it lists, contains a damaged blob: 1 or 0. */
function namesDamaged(db: Kysely<Tables>) {
  const itself = damagedEdges(db).whereRef("e.manifest_id", "=", sql.ref("m.id"));
  const listed = damagedEdges(db)
    .innerJoin("oci_manifests as child", "child.id", "e.manifest_id")
    .innerJoin("oci_manifest_edges as i", (join) =>
      join
        .onRef("i.repository_id", "=", "child.repository_id")
        .onRef("i.child", "=", "child.digest"),
    )
    .where("i.kind", "=", sql.lit("child"))
    .whereRef("i.manifest_id", "=", sql.ref("m.id"));
  const is = expressionBuilder<Tables>();
  return sql<number>`case when ${is.exists(itself)} or ${is.exists(listed)} then 1 else 0 end`.as(
    "names_damaged",
  );
}

function damagedEdges(db: Kysely<Tables>) {
  return db
    .selectFrom("oci_manifest_edges as e")
    .innerJoin("blobs as b", (join) =>
      join
        .on("b.protocol", "=", sql.lit("oci"))
        .onRef("b.digest", "=", "e.child")
        .on("b.damaged_at", "is not", null),
    )
    .select("b.id");
}

export type ManifestLookup = Pick<ManifestCatalog, "find" | "tags" | "repositories" | "referrers">;

export function createManifestLookup(
  { queries, changes }: Pick<PortContext, "queries" | "changes">,
  pulls: TagPulls,
): ManifestLookup {
  const clock = clockOf(changes);
  return {
    async find(repository, reference, { whole = false } = {}) {
      const which = { repository, reference };
      const isTag = !isDigest(reference);
      const tagged = isTag ? await queries.one(whole ? WHOLE_BY_TAG : BY_TAG, which) : undefined;
      const row = isTag ? tagged : await queries.one(whole ? WHOLE_BY_DIGEST : BY_DIGEST, which);
      if (!row || ("names_damaged" in row && Number(row.names_damaged) === 1)) return undefined;
      if (isDue(row.touched_at, clock)) {
        const touched = await touchManifest({ queries }, row.id, clock.now());
        if (touched === 0) return undefined;
      }
      if (tagged) noteTagPull(pulls, clock, { row: tagged, tag: reference });
      return manifestOf(row);
    },
    async tags(name, page) {
      const repository = await findListedRepository({ queries }, name);
      if (repository === undefined) return undefined;
      const rows = await queries.all(TAGS, { repository, ...pageOf(page) });
      return rows.map(({ tag }) => tag);
    },
    async repositories(page) {
      const rows = await queries.all(REPOSITORIES, pageOf(page));
      return rows.map(({ name }) => parseRepositoryName(name));
    },
    referrers: createReferrerPages(queries),
  };
}

function noteTagPull(
  pulls: TagPulls,
  clock: Clock,
  { row, tag }: { readonly row: RowOf<typeof BY_TAG>; readonly tag: string },
): void {
  if (row.pulled_at && !isDue(row.pulled_at, clock)) return;
  pulls.note(row.repository_id, tag, clock.now());
}

/** Every name sorts after the empty text. */
function pageOf({ limit, after = "" }: Page): { readonly after: string; readonly limit: number } {
  return { after, limit: Math.max(0, limit) };
}

function manifestOf(row: RowOf<typeof BY_DIGEST>): StoredManifest {
  return { digest: parseDigest(row.digest), mediaType: row.media_type, bytes: row.bytes };
}
