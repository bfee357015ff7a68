import { expressionBuilder, sql } from "#kysely";
import type { Expression } from "#kysely";
import type { Queries } from "../statements/queries.ts";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import type { Tables } from "../statements/tables.ts";
import { holdsOn } from "./gc/kept-by.ts";
import { ociParam } from "./oci-param.ts";

/** Executes in a transaction or outside. */
type Within = { readonly queries: Queries };

const NAME = { name: ociParam.repositoryName };

const eb = expressionBuilder<Tables>();

/** The manifests of a repository, deleted ones too until the collector removes them. */
export function manifestsOf(repository: Expression<number>) {
  return eb
    .selectFrom("oci_manifests as its")
    .where("its.repository_id", "=", repository)
    .select("its.id");
}

const LISTED = defineStatement("oci-repository-listed", NAME, (db, { name }) =>
  db
    .selectFrom("oci_repositories as r")
    .where("r.name", "=", name)
    .where((row) => row.exists(manifestsOf(row.ref("r.id"))))
    .select("r.id"),
);
const REPOSITORY = defineStatement("oci-repository-id", NAME, (db, { name }) =>
  db.selectFrom("oci_repositories").where("name", "=", name).select("id"),
);
const TOUCH_MANIFEST = defineStatement(
  "oci-manifest-touch",
  { id: param.whole, now: param.time },
  (db, { id, now }) =>
    db.updateTable("oci_manifests").set({ touched_at: now }).where("id", "=", id),
);

/** Renews the time of use of a manifest and locks it; gives the number of rows. */
export function touchManifest({ queries }: Within, id: number, now: Date): Promise<number> {
  return queries.run(TOUCH_MANIFEST, { id, now });
}

export async function findRepository(
  { queries }: Within,
  name: string,
): Promise<number | undefined> {
  return (await queries.one(REPOSITORY, { name }))?.id;
}

/** The same for a repository that has manifests. */
export async function findListedRepository(
  { queries }: Within,
  name: string,
): Promise<number | undefined> {
  return (await queries.one(LISTED, { name }))?.id;
}

export type LockedBlob = {
  readonly id: number;
  readonly digest: string;
  readonly size: number;
  readonly touchedAt: Date;
};

const DIGESTS = { digests: param.texts };

const liveBlobs = (db: Dialect["db"]) =>
  db
    .selectFrom("blobs")
    .where("protocol", "=", sql.lit("oci"))
    .where("state", "=", sql.lit("live"))
    .select(["id", "digest", "size", "touched_at"]);

const listedBlobs = (db: Dialect["db"], { digests }: Parameters<typeof DIGESTS>, own: Dialect) =>
  liveBlobs(db).where("digest", "in", own.textsIn(digests)).orderBy("digest");

const LOCK_LIVE = defineStatement("oci-blobs-lock-live", DIGESTS, (db, parameters, own) =>
  own.forUpdate(listedBlobs(db, parameters, own)),
);
const LOCK_INTACT = defineStatement("oci-blobs-lock-intact", DIGESTS, (db, parameters, own) =>
  own.forUpdate(listedBlobs(db, parameters, own).where("damaged_at", "is", null)),
);
/** The same for one: a list costs SQLite more than the lookup of one row. */
const LOCK_ONE_INTACT = defineStatement(
  "oci-blob-lock-intact",
  { digest: ociParam.digest },
  (db, { digest }, own) =>
    own.forUpdate(liveBlobs(db).where("digest", "=", digest).where("damaged_at", "is", null)),
);

/**
 * Locks the live ones of these blobs until the commit. The order by digest prevents deadlocks (rule
 * R2). Damaged blobs count as absent for a push, which then stores them again.
 */
export async function lockLiveBlobs(
  { queries }: Within,
  digests: readonly string[],
  { damaged }: { readonly damaged?: "too" } = {},
): Promise<readonly LockedBlob[]> {
  const [digest] = digests;
  const isOne = digest !== undefined && digests.length === 1 && damaged !== "too";
  const statement = damaged === "too" ? LOCK_LIVE : LOCK_INTACT;
  const rows = isOne
    ? await queries.all(LOCK_ONE_INTACT, { digest })
    : // In order, because MySQL locks the rows in the order of the list.
      await queries.all(statement, { digests: digests.toSorted() });
  return rows.map(({ touched_at: touchedAt, ...blob }) => ({ ...blob, touchedAt }));
}

const HOLD = defineStatement(
  "oci-hold",
  { digest: ociParam.digest, now: param.time },
  (db, { digest, now }, own) => own.limit(holdsOn(db, digest, now).select("holder"), sql.lit(1)),
);

/** Whether a hold protects the digest (rules R3 and R12). */
export async function isDigestHeld(
  { queries }: Within,
  digest: string,
  now: Date,
): Promise<boolean> {
  return (await queries.one(HOLD, { digest, now })) !== undefined;
}

const LINK = { repository: param.whole, blob: param.whole, now: param.time };

const RENEW_LINK = defineStatement("oci-link-renew", LINK, (db, { repository, blob, now }) =>
  db
    .updateTable("oci_repository_blobs")
    .set({ linked_at: now })
    .where("repository_id", "=", repository)
    .where("blob_id", "=", blob),
);
const INSERT_LINK = defineStatement("oci-link", LINK, (db, { repository, blob, now }) =>
  db
    .insertInto("oci_repository_blobs")
    .values({ repository_id: repository, blob_id: blob, linked_at: now }),
);

/** Renews the time of use of a link; gives the number of rows. */
export function touchLink(
  { queries }: Within,
  link: { readonly repository: number; readonly blob: number },
  now: Date,
): Promise<number> {
  return queries.run(RENEW_LINK, { ...link, now });
}

export async function linkBlob(
  unit: Within,
  link: { readonly repository: number; readonly blob: number },
  now: Date,
): Promise<void> {
  if ((await touchLink(unit, link, now)) === 0)
    await unit.queries.run(INSERT_LINK, { ...link, now });
}
