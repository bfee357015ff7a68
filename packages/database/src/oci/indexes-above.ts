import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import type { ImmutableTag, ImmutableTags, RepositoryName } from "@sealhouse/oci-distribution";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { isHeld } from "./gc/kept-by.ts";

type Within = Pick<Unit, "queries">;

const MANIFEST = { manifest: param.whole };

/** As `above`: a manifest, and the indexes that list it, directly or through others. */
const withAbove = (db: Kysely<Tables>, manifest: Expression<number>) =>
  db.withRecursive("above(id)", (cte) =>
    cte
      .selectFrom("oci_manifests as m")
      .where("m.id", "=", manifest)
      .select("m.id")
      .union(
        cte
          .selectFrom("above as a")
          .innerJoin("oci_manifests as c", "c.id", "a.id")
          .innerJoin("oci_manifest_edges as e", (join) =>
            join.onRef("e.repository_id", "=", "c.repository_id").onRef("e.child", "=", "c.digest"),
          )
          .select("e.manifest_id as id"),
      ),
  );

const LOCK = defineStatement("oci-lock-above", MANIFEST, (db, { manifest }, own) =>
  own.forUpdate(
    withAbove(db, manifest)
      .selectFrom("above as a")
      .innerJoin("oci_manifests as m", "m.id", "a.id")
      .select("m.id")
      .orderBy("m.digest"),
  ),
);
const HELD = defineStatement(
  "oci-held-above",
  { ...MANIFEST, now: param.time },
  (db, { manifest, now }, own) =>
    own.limit(
      withAbove(db, manifest)
        .selectFrom("above as a")
        .innerJoin("oci_manifests as m", "m.id", "a.id")
        .where(isHeld(sql.ref("m.digest"), now))
        .select("m.id"),
      sql.lit(1),
    ),
);
const TAGS = defineStatement("oci-tags-above", MANIFEST, (db, { manifest }) =>
  withAbove(db, manifest)
    .selectFrom("above as a")
    .innerJoin("oci_tags as t", "t.manifest_id", "a.id")
    .select("t.tag")
    .orderBy("t.tag"),
);

/** Locks the indexes, so that none gets a further tag before the commit. */
export async function lockIndexesAbove({ queries }: Within, manifest: number): Promise<void> {
  await queries.all(LOCK, { manifest });
}

/** Whether a hold is about the manifest, or about an index that would lose a part with it. */
export async function isHeldFromAbove(
  { queries }: Within,
  manifest: number,
  now: Date,
): Promise<boolean> {
  return (await queries.one(HELD, { manifest, now })) !== undefined;
}

/** Returns the first immutable tag that points to the manifest, or to an index that lists it. */
export async function immutableTagAbove(
  { queries }: Within,
  immutable: ImmutableTags,
  { manifest, repository }: { readonly manifest: number; readonly repository: RepositoryName },
): Promise<ImmutableTag | undefined> {
  for (const { tag } of await queries.all(TAGS, { manifest })) {
    const rule = immutable(repository, tag);
    if (rule !== undefined) return { status: "immutable", tag, rule };
  }
  return undefined;
}
