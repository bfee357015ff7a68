import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import { isDigest, parseDigest } from "@sealhouse/oci-distribution";
import type {
  AttachedManifest,
  AttachedToOne,
  ManifestDetails,
  RepositoryName,
  ShownManifest,
} from "@sealhouse/oci-distribution";
import type { Dialect } from "../statements/dialects/dialect.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";
import { indexesOf, lineColumns, lineOf } from "./manifest-line.ts";
import { ociParam } from "./oci-param.ts";

const TAGS_SHOWN = 20;

const REPOSITORY = { repository: ociParam.repositoryName };
const DIGEST = { ...REPOSITORY, digest: ociParam.digest };
const MANIFEST = { manifest: param.whole };
const COLUMNS = ["m.id", "m.digest", "m.media_type", "m.bytes"] as const;

const manifestsOf = (db: Kysely<Tables>, repository: Expression<string>) =>
  db
    .selectFrom("oci_repositories as r")
    .innerJoin("oci_manifests as m", "m.repository_id", "r.id")
    .where("m.deleted_at", "is", null)
    .where("r.name", "=", repository);
const taggedOf = (db: Kysely<Tables>, repository: Expression<string>) =>
  db
    .selectFrom("oci_repositories as r")
    .innerJoin("oci_tags as t", "t.repository_id", "r.id")
    .innerJoin("oci_manifests as m", "m.id", "t.manifest_id")
    .where("r.name", "=", repository);
const tagsOf = (db: Kysely<Tables>, manifest: Expression<number>) =>
  db.selectFrom("oci_tags").where("manifest_id", "=", manifest).where("subject", "is", null);

const BY_DIGEST = defineStatement("oci-shown-by-digest", DIGEST, (db, { repository, digest }) =>
  manifestsOf(db, repository)
    .where("m.digest", "=", digest)
    .select([...COLUMNS, "m.pushed_at"]),
);
const BY_TAG = defineStatement(
  "oci-shown-by-tag",
  { ...REPOSITORY, tag: ociParam.tag },
  (db, { repository, tag }) =>
    taggedOf(db, repository)
      .where("t.tag", "=", tag)
      .select([...COLUMNS, "t.updated_at as pushed_at", "t.pulled_at"]),
);
const TAGS = defineStatement("oci-manifest-tags", MANIFEST, (db, { manifest }, own) =>
  own.limit(tagsOf(db, manifest).select("tag").orderBy("tag"), sql.lit(TAGS_SHOWN)),
);
const TAG_COUNT = defineStatement("oci-manifest-tag-count", MANIFEST, (db, { manifest }) =>
  tagsOf(db, manifest).select(({ fn }) => fn.countAll<number>().as("total")),
);
const CHILDREN = defineStatement(
  "oci-shown-children",
  { ...REPOSITORY, digests: param.texts },
  (db, { repository, digests }, own) =>
    manifestsOf(db, repository)
      .where("m.digest", "in", own.textsIn(digests))
      .select(lineColumns(own)),
);
const PARENTS = defineStatement(
  "oci-manifest-parents",
  { ...DIGEST, limit: param.whole },
  (db, { repository, digest, limit }, own) =>
    own.limit(
      indexesOf(db, repository, digest).select(lineColumns(own)).orderBy("m.id", "desc"),
      limit,
    ),
);
const REFERRERS = defineStatement(
  "oci-shown-referrers",
  { ...DIGEST, limit: param.whole },
  (db, { repository, digest, limit }, own) =>
    own.limit(
      manifestsOf(db, repository)
        .where("m.subject", "=", digest)
        .select([...lineColumns(own), "m.annotations", "m.pushed_at"])
        .orderBy("m.id", "desc"),
      limit,
    ),
);
const REFERRER_COUNT = defineStatement("oci-referrer-count", DIGEST, (db, { repository, digest }) =>
  manifestsOf(db, repository)
    .where("m.subject", "=", digest)
    .select(({ fn }) => fn.countAll<number>().as("total")),
);
/** A list shows what attached manifests are, but not all that their publishers wrote. */
const LISTED_ANNOTATIONS_BYTES_MAX = 4_096;

const shortAnnotations = (own: Dialect) =>
  sql<string | null>`case when coalesce(${own.textByteLength(sql.ref("m.annotations"))}, 0)
    <= ${sql.lit(LISTED_ANNOTATIONS_BYTES_MAX)} then m.annotations end`;

const ANY = { ...REPOSITORY, digests: param.texts, limit: param.whole };
const REFERRERS_OF_ANY = defineStatement(
  "oci-shown-referrers-of-any",
  ANY,
  (db, { repository, digests, limit }, own) =>
    own.limit(
      manifestsOf(db, repository)
        .where(own.isIn(sql.ref("m.subject"), digests))
        .select([
          "m.subject",
          ...lineColumns(own),
          shortAnnotations(own).as("annotations"),
          "m.pushed_at",
        ])
        .orderBy("m.id", "desc"),
      limit,
    ),
);
const TAGGED_FOR_ANY = defineStatement(
  "oci-attached-tags-of-any",
  ANY,
  (db, { repository, digests, limit }, own) =>
    own.limit(
      taggedOf(db, repository)
        .where(own.isIn(sql.ref("t.subject"), digests))
        .select([
          "t.tag",
          "t.subject",
          ...lineColumns(own),
          shortAnnotations(own).as("annotations"),
          "t.updated_at as pushed_at",
        ])
        .orderBy("t.tag"),
      limit,
    ),
);
/** At most a handful of tags, because their names derive from the digest. */
const UNDER_TAGS = defineStatement("oci-attached-tags", DIGEST, (db, { repository, digest }, own) =>
  taggedOf(db, repository)
    .where("t.subject", "=", digest)
    .select([
      "t.tag",
      "m.subject",
      ...lineColumns(own),
      "m.annotations",
      "t.updated_at as pushed_at",
    ])
    .orderBy("t.tag"),
);
const BLOB = defineStatement("oci-shown-blob", DIGEST, (db, { repository, digest }) =>
  db
    .selectFrom("oci_repositories as r")
    .innerJoin("oci_repository_blobs as l", "l.repository_id", "r.id")
    .innerJoin("blobs as b", "b.id", "l.blob_id")
    .where("r.name", "=", repository)
    .where("b.protocol", "=", sql.lit("oci"))
    .where("b.digest", "=", digest)
    .where("b.state", "=", sql.lit("live"))
    .select(["b.storage_key", "b.size"]),
);

export function createManifestDetails(queries: Queries): ManifestDetails {
  return {
    async manifest(repository, reference) {
      const row = isDigest(reference)
        ? await queries.one(BY_DIGEST, { repository, digest: reference })
        : await queries.one(BY_TAG, { repository, tag: reference });
      return row && shownOf(queries, row);
    },
    async children(repository, digests) {
      if (digests.length === 0) return [];
      return (await queries.all(CHILDREN, { repository, digests })).map(lineOf);
    },
    parents: async (repository, digest, limit) =>
      (await queries.all(PARENTS, { repository, digest, limit })).map(lineOf),
    attached: (repository, digest, limit) => attachedTo(queries, { repository, digest, limit }),
    async attachedToAny(repository, digests, limit) {
      if (digests.length === 0) return [];
      const any = { repository, digests, limit };
      const tagged = (await queries.all(TAGGED_FOR_ANY, any)).map((row) => ({
        ...attachedOf(row),
        tag: row.tag,
        subject: parseDigest(row.subject ?? ""),
      }));
      const keyOf = (row: AttachedToOne) => `${row.subject} ${row.digest}`;
      const again = new Set(tagged.map(keyOf));
      const referrers = (await queries.all(REFERRERS_OF_ANY, any))
        .map((row) => ({ ...attachedOf(row), subject: parseDigest(row.subject ?? "") }))
        .filter((row) => !again.has(keyOf(row)));
      return [...tagged, ...referrers].slice(0, limit);
    },
    async blob(repository, digest) {
      const row = await queries.one(BLOB, { repository, digest });
      return row && { key: row.storage_key, size: row.size };
    },
  };
}

async function shownOf(
  queries: Queries,
  row: RowOf<typeof BY_DIGEST> & { readonly pulled_at?: Date | null },
): Promise<ShownManifest> {
  const manifest = row.id;
  const tags = await queries.all(TAGS, { manifest });
  const counted = tags.length < TAGS_SHOWN ? undefined : await queries.one(TAG_COUNT, { manifest });
  return {
    digest: parseDigest(row.digest),
    mediaType: row.media_type,
    bytes: row.bytes,
    pushedAt: row.pushed_at,
    ...(row.pulled_at && { pulledAt: row.pulled_at }),
    tags: tags.map(({ tag }) => tag),
    tagCount: counted?.total ?? tags.length,
  };
}

async function attachedTo(
  queries: Queries,
  target: {
    readonly repository: RepositoryName;
    readonly digest: string;
    readonly limit: number;
  },
): ReturnType<ManifestDetails["attached"]> {
  const { repository, digest, limit } = target;
  const underTags = await queries.all(UNDER_TAGS, { repository, digest });
  const referrers = (await queries.all(REFERRERS, target)).map(attachedOf);
  const counted =
    referrers.length < limit
      ? undefined
      : await queries.one(REFERRER_COUNT, { repository, digest });
  const referrerTotal = counted?.total ?? referrers.length;
  // Omits artifacts that are attached in both ways.
  const others = underTags.filter(({ subject }) => subject !== digest);
  const first = underTags.map((row) => ({ ...attachedOf(row), tag: row.tag }));
  const again = new Set(first.map((manifest) => manifest.digest));
  const rest = referrers.filter((referrer) => !again.has(referrer.digest));
  const manifests = [...first, ...rest].slice(0, limit);
  return { total: referrerTotal + others.length, manifests };
}

function attachedOf(row: RowOf<typeof REFERRERS>): AttachedManifest {
  return {
    ...lineOf(row),
    pushedAt: row.pushed_at,
    ...(row.annotations !== null && { annotations: row.annotations }),
  };
}
