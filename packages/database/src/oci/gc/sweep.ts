import { expressionBuilder, sql } from "#kysely";
import type { Expression, SqlBool } from "#kysely";
import { parseDigest, useLimits } from "@sealhouse/oci-distribution";
import type {
  ClaimedBlob,
  GarbageSweeps,
  Keeping,
  RunKey,
  Surface,
} from "@sealhouse/oci-distribution";
import { NAME_LENGTH } from "../../entities/name-length.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { TypedStatement } from "../../statements/typed-statement.ts";
import type { Tables } from "../../statements/tables.ts";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { ociParam } from "../oci-param.ts";
import { findRepository, manifestsOf } from "../oci-rows.ts";
import { LIMITS, isUnused } from "./kept-by.ts";
import type { LimitValues } from "./kept-by.ts";
import { SURFACE, belongsTo, surfaceValues } from "./surface-rows.ts";
import { blockersOf, isRoot, withKeepers } from "./reached.ts";

const MANIFEST = { manifest: param.whole };
const KEPT = { ...MANIFEST, repository: param.whole };
const GENERATION = { id: param.whole, key: param.text(NAME_LENGTH.storageKey) };

const LOCK_MANIFEST = defineStatement(
  "gc-manifest",
  { repository: param.whole, digest: ociParam.digest },
  (db, { repository, digest }, own) =>
    own.forUpdate(
      db
        .selectFrom("oci_manifests")
        .where("repository_id", "=", repository)
        .where("digest", "=", digest)
        .select("id"),
    ),
);
const OWN_ROOT = defineStatement(
  "gc-own-root",
  { ...MANIFEST, ...LIMITS },
  (db, { manifest, ...limits }) =>
    db
      .selectFrom("oci_manifests as m")
      .where("m.id", "=", manifest)
      .where(isRoot(limits))
      .select("m.id"),
);
const BLOCKED = {
  always: blockedStatement("always"),
  "if-reached": blockedStatement("if-reached"),
} as const;
const LOCK_KEEPERS = defineStatement("gc-lock-keepers", KEPT, (db, parameters, own) =>
  own.forUpdate(
    withKeepers(db, parameters)
      .selectFrom("keepers as k")
      .innerJoin("oci_manifests as m", "m.id", "k.id")
      .select("m.id")
      .orderBy("m.digest"),
  ),
);
const ROOT_ABOVE = defineStatement("gc-root-above", { ...KEPT, ...LIMITS }, (db, parameters, own) =>
  own.limit(
    withKeepers(db, parameters)
      .selectFrom("keepers as k")
      .innerJoin("oci_manifests as m", "m.id", "k.id")
      .where(isRoot(parameters))
      .select("m.id"),
    sql.lit(1),
  ),
);
const DROP_TAGS = defineStatement("gc-drop-tags", MANIFEST, (db, { manifest }) =>
  db.deleteFrom("oci_tags").where("manifest_id", "=", manifest),
);
const DROP_EDGES = defineStatement("gc-drop-edges", MANIFEST, (db, { manifest }) =>
  db.deleteFrom("oci_manifest_edges").where("manifest_id", "=", manifest),
);
const DROP_MANIFEST = defineStatement("gc-drop-manifest", MANIFEST, (db, { manifest }) =>
  db.deleteFrom("oci_manifests").where("id", "=", manifest),
);

function blockedStatement(blocks: Keeping["blocks"]) {
  return defineStatement(`gc-blocked-${blocks}`, MANIFEST, (db, { manifest }, own) =>
    own.limit(blockersOf(db, manifest, blocks), sql.lit(1)),
  );
}

const LOCK_BLOB = defineStatement("gc-blob", { digest: ociParam.digest }, (db, { digest }, own) =>
  own.forUpdate(
    db
      .selectFrom("blobs")
      .where("protocol", "=", sql.lit("oci"))
      .where("digest", "=", digest)
      .where("state", "=", sql.lit("live"))
      .select(["id", "storage_key"]),
  ),
);

const eb = expressionBuilder<Tables>();
const blobOfLink = eb
  .selectFrom("blobs as b")
  .where("b.id", "=", sql.ref<number>("oci_repository_blobs.blob_id"));

/** The link, in a statement that changes it. */
const LINK_COLUMNS = {
  digest: blobOfLink.select("b.digest").$asScalar(),
  clocks: {
    link: sql.ref<Date>("oci_repository_blobs.linked_at"),
    blob: blobOfLink.select("b.touched_at").$asScalar(),
  },
  namedBy: {
    edges: eb
      .selectFrom("oci_manifest_edges as e")
      .innerJoin("blobs as b", "b.digest", "e.child")
      .where("e.repository_id", "=", sql.ref<number>("oci_repository_blobs.repository_id"))
      .where("b.id", "=", sql.ref<number>("oci_repository_blobs.blob_id"))
      .select("e.manifest_id"),
  },
};
const DROP_LINK = defineStatement(
  "gc-drop-link",
  { ...LIMITS, blob: param.whole, repository: ociParam.repositoryName },
  (db, { blob, repository, ...limits }) =>
    db
      .deleteFrom("oci_repository_blobs")
      .where("blob_id", "=", blob)
      .where("repository_id", "=", (link) =>
        link.selectFrom("oci_repositories").where("name", "=", repository).select("id"),
      )
      .where(isUnused({ kind: "link", columns: LINK_COLUMNS, limits })),
);

/** The blob, in a statement that changes it. */
const BLOB_COLUMNS = {
  digest: sql.ref<string>("blobs.digest"),
  clocks: { blob: sql.ref<Date>("blobs.touched_at") },
  namedBy: {
    links: eb
      .selectFrom("oci_repository_blobs as l")
      .where("l.blob_id", "=", sql.ref<number>("blobs.id"))
      .select("l.repository_id"),
  },
};
const CLAIM = defineStatement(
  "gc-claim-blob",
  { ...LIMITS, blob: param.whole },
  (db, { blob, ...limits }) =>
    db
      .updateTable("blobs")
      .set({ state: sql.lit("deleting") })
      .where("id", "=", blob)
      .where(isUnused({ kind: "blob", columns: BLOB_COLUMNS, limits })),
);
/** Keeps a blob that was referenced again since, because it has another key. */
const FORGET = defineStatement("gc-forget-blob", GENERATION, (db, { id, key }) =>
  db
    .deleteFrom("blobs")
    .where("id", "=", id)
    .where("storage_key", "=", key)
    .where("state", "in", [sql.lit("deleting"), sql.lit("delete-failed")]),
);
const FAIL = defineStatement("gc-fail-blob", GENERATION, (db, { id, key }) =>
  db
    .updateTable("blobs")
    .set({ state: sql.lit("delete-failed") })
    .where("id", "=", id)
    .where("storage_key", "=", key)
    .where("state", "=", sql.lit("deleting")),
);

const REPOSITORIES_AT_ONCE = 500;

/** Whether a repository has no content and never had a manifest. */
function hasNothing(id: Expression<number>, name: Expression<string>): Expression<SqlBool> {
  const links = eb
    .selectFrom("oci_repository_blobs as its_link")
    .where("its_link.repository_id", "=", id)
    .select("its_link.blob_id");
  const own = eb
    .selectFrom("name_origins as its_origin")
    .where("its_origin.protocol", "=", sql.lit("oci"))
    .where("its_origin.name", "=", name)
    .where("its_origin.origin", "=", sql.lit("own"))
    .select("its_origin.name");
  return eb.not(eb.or([eb.exists(manifestsOf(id)), eb.exists(links), eb.exists(own)]));
}

const EMPTY = defineStatement(
  "gc-empty-repositories",
  { ...SURFACE, unusedSince: param.time, after: ociParam.repositoryName, limit: param.whole },
  (db, parameters, own) =>
    own.limit(
      db
        .selectFrom("oci_repositories as r")
        .where("r.name", ">", parameters.after)
        .where("r.created_at", "<", parameters.unusedSince)
        .where(belongsTo(own, parameters))
        .where((row) => hasNothing(row.ref("r.id"), row.ref("r.name")))
        .select(["r.id", "r.name"])
        .orderBy("r.name"),
      parameters.limit,
    ),
);
const DROP_EMPTY = defineStatement("gc-drop-repository", { id: param.whole }, (db, { id }) =>
  db
    .deleteFrom("oci_repositories")
    .where("oci_repositories.id", "=", id)
    .where(
      hasNothing(sql.ref<number>("oci_repositories.id"), sql.ref<string>("oci_repositories.name")),
    ),
);

/** Pushes to such a repository lock the same group before they use its row. */
async function forgetEmpty(changes: Changes, run: RunKey, surface: Surface): Promise<number> {
  const limits = { ...surfaceValues(surface), unusedSince: run.unusedSince };
  let removed = 0;
  for (let after = "", isFull = true; isFull;) {
    const rows = await changes.transaction(({ queries }) =>
      queries.all(EMPTY, { ...limits, after, limit: REPOSITORIES_AT_ONCE }),
    );
    for (const { id, name } of rows) {
      removed += await changes.transaction(async (unit) => {
        await changes.stale(unit, `oci/${name}`);
        return unit.queries.run(DROP_EMPTY, { id });
      });
    }
    after = rows.at(-1)?.name ?? after;
    isFull = rows.length === REPOSITORIES_AT_ONCE;
  }
  return removed;
}

/** Removes candidates. */
export function createSweeps(changes: Changes): Omit<GarbageSweeps, "claimed"> {
  const limitsOf = (run: RunKey, untaggedSince?: Date) => ({
    ...useLimits(run, untaggedSince),
    now: changes.now(),
  });
  const end = (statement: TypedStatement<typeof GENERATION, unknown>, { id, key }: ClaimedBlob) =>
    changes.transaction(async ({ queries }) => {
      await queries.run(statement, { id, key });
    });
  return {
    removeManifest: (run, candidate, untaggedSince, { stuck = false } = {}) =>
      changes.transaction(async (unit) => {
        const repository = await findRepository(unit, candidate.repository);
        if (repository === undefined) return "kept";
        // A push that needs or tags the manifest locks the same row, so it either precedes and is
        // seen here, or finds no manifest.
        const which = { repository, digest: candidate.digest };
        const row = await unit.queries.one(LOCK_MANIFEST, which);
        if (!row) return "kept";
        const lockedManifest = { repository, manifest: row.id, stuck };
        return removeLocked(unit, lockedManifest, limitsOf(run, untaggedSince));
      }),
    removeLink: (run, { repository, digest }) =>
      changes.transaction(async ({ queries }) => {
        // The lock prevents a push from using the link, and earlier references are visible.
        const blob = await queries.one(LOCK_BLOB, { digest });
        if (!blob) return "kept";
        const link = { ...limitsOf(run), blob: blob.id, repository };
        return (await queries.run(DROP_LINK, link)) > 0 ? "removed" : "kept";
      }),
    claimBlob: (run, { digest }) =>
      changes.transaction(async ({ queries }) => {
        const blob = await queries.one(LOCK_BLOB, { digest });
        if (!blob) return "kept";
        const claimed = await queries.run(CLAIM, { ...limitsOf(run), blob: blob.id });
        if (claimed === 0) return "kept";
        return { id: blob.id, digest: parseDigest(digest), key: blob.storage_key };
      }),
    forgetBlob: (_run, blob) => end(FORGET, blob),
    failBlob: (_run, blob) => end(FAIL, blob),
    forgetEmpty: (run, surface) => forgetEmpty(changes, run, surface),
  };
}

async function removeLocked(
  { queries }: Unit,
  lockedManifest: {
    readonly repository: number;
    readonly manifest: number;
    readonly stuck: boolean;
  },
  limits: LimitValues,
): Promise<"removed" | "kept" | "blocked"> {
  const { repository, manifest, stuck } = lockedManifest;
  if (await queries.one(OWN_ROOT, { manifest, ...limits })) return "kept";
  if (await queries.one(BLOCKED.always, { manifest })) return "blocked";
  if (await queries.one(BLOCKED["if-reached"], { manifest })) {
    if (!stuck) return "blocked";
    // Locks all that keep the manifest first, so that none gets a tag before the commit.
    await queries.all(LOCK_KEEPERS, { repository, manifest });
    if (await queries.one(ROOT_ABOVE, { repository, manifest, ...limits })) return "kept";
  }
  await queries.run(DROP_TAGS, { manifest });
  await queries.run(DROP_EDGES, { manifest });
  await queries.run(DROP_MANIFEST, { manifest });
  return "removed";
}
