import { sql } from "#kysely";
import type { Kysely } from "#kysely";
import { isDigest, parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { ManifestCatalog, Page, StoredManifest } from "@sealhouse/oci-distribution";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
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
const COLUMNS = ["m.id", "m.digest", "m.media_type", "m.bytes", "m.touched_at"] as const;

const BY_DIGEST = defineStatement(
  "oci-manifest-by-digest",
  REFERENCE,
  (db, { repository, reference }) =>
    db
      .selectFrom("oci_repositories as r")
      .innerJoin("oci_manifests as m", "m.repository_id", "r.id")
      .where("r.name", "=", repository)
      .where("m.digest", "=", reference)
      .where("m.deleted_at", "is", null)
      .select(COLUMNS),
  { recall: "rows" },
);
const BY_TAG = defineStatement(
  "oci-manifest-by-tag",
  REFERENCE,
  (db, { repository, reference }) =>
    db
      .selectFrom("oci_repositories as r")
      .innerJoin("oci_tags as t", "t.repository_id", "r.id")
      .innerJoin("oci_manifests as m", "m.id", "t.manifest_id")
      .where("r.name", "=", repository)
      .where("t.tag", "=", reference)
      .select([...COLUMNS, "t.repository_id", "t.pulled_at"]),
  { recall: "rows" },
);
/** Whether the manifest, or one that an index lists, contains a damaged blob. */
const NAMES_DAMAGED = defineStatement(
  "oci-manifest-names-damaged",
  { id: param.whole },
  (db, { id }, own) => {
    const itself = damagedEdges(db).where("e.manifest_id", "=", id).select("b.id");
    const listed = damagedEdges(db)
      .innerJoin("oci_manifests as m", "m.id", "e.manifest_id")
      .innerJoin("oci_manifest_edges as i", (join) =>
        join.onRef("i.repository_id", "=", "m.repository_id").onRef("i.child", "=", "m.digest"),
      )
      .where("i.manifest_id", "=", id)
      .where("i.kind", "=", sql.lit("child"))
      .select("b.id");
    return own.limit(itself.unionAll(listed), sql.lit(1));
  },
  { recall: "absence" },
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

function damagedEdges(db: Kysely<Tables>) {
  return db
    .selectFrom("oci_manifest_edges as e")
    .innerJoin("blobs as b", (join) =>
      join
        .on("b.protocol", "=", sql.lit("oci"))
        .onRef("b.digest", "=", "e.child")
        .on("b.damaged_at", "is not", null),
    );
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
      const byDigest = isDigest(reference);
      const tagged = byDigest ? undefined : await queries.one(BY_TAG, which);
      const row = byDigest ? await queries.one(BY_DIGEST, which) : tagged;
      if (!row) return undefined;
      const { id } = row;
      if (whole && (await queries.one(NAMES_DAMAGED, { id }))) return undefined;
      if (isDue(row.touched_at, clock)) {
        const touched = await touchManifest({ queries }, id, clock.now());
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
