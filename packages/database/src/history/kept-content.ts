import { sql } from "#kysely";
import type { Kysely } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import { releaseBlobs } from "../blobs/release-blobs.ts";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";

/** Protocols whose versions name one blob. Manifests of images stay in their own table. */
type PackageProtocol = Exclude<Protocol, "oci">;

/** A version that is deleted or replaced now. */
export type LostVersion = {
  readonly protocol: PackageProtocol;
  /** Name and version as in the history. */
  readonly name: string;
  readonly item: string;
  /** The value of the version in the history. */
  readonly value: string;
  /** The version's data except its blob, for JSON. */
  readonly content: object;
  readonly blobId: number;
};

/** The data of a version that is not deleted, for JSON, and its blob. */
export type WholeContent = {
  readonly content: object;
  readonly blobId: number;
  /** Digest of the blob: `sha256:<hex>`. */
  readonly digest: string;
};

const KEEP = defineStatement(
  "kept-content-insert",
  {
    protocol: param.text(16),
    name: param.text(255),
    item: param.text(256),
    value: param.longText,
    content: param.longText,
    blobId: param.whole,
    lostAt: param.time,
  },
  (db, { blobId, lostAt, ...columns }) =>
    db.insertInto("kept_contents").values({ ...columns, blob_id: blobId, lost_at: lostAt }),
);

/**
 * Keeps the content of a version for views, in the transaction that deletes or replaces it. Call
 * before its blob is released. Does nothing while `Feed__History__KeepContent` is 0.
 */
export async function keepContent(
  { keepContentMs, now }: Pick<Changes, "keepContentMs" | "now">,
  { queries }: Pick<Unit, "queries">,
  { content, ...lost }: LostVersion,
): Promise<void> {
  if (keepContentMs === 0) return;
  await queries.run(KEEP, { ...lost, content: JSON.stringify(content), lostAt: now() });
}

const AT = { protocol: param.text(16), name: param.text(255), time: param.time };

const heldAt = (db: Kysely<Tables>, { protocol, name, time }: Parameters<typeof AT>) =>
  db
    .selectFrom("kept_contents as k")
    .innerJoin("history as h", (join) =>
      join
        .onRef("h.protocol", "=", "k.protocol")
        .onRef("h.name", "=", "k.name")
        .onRef("h.item", "=", "k.item")
        .onRef("h.value", "=", "k.value"),
    )
    .innerJoin("blobs as b", "b.id", "k.blob_id")
    .where("k.protocol", "=", protocol)
    .where("k.name", "=", name)
    .where("h.kind", "=", sql.lit("version"))
    .where("h.valid_from", "<=", time)
    .where("h.valid_to", ">", time)
    .where("b.state", "=", sql.lit("live"))
    .select(["k.item", "k.content", "b.storage_key", "b.size", "b.digest", "b.damaged_at"])
    .orderBy("k.id");

const HELD_AT = defineStatement("kept-content-at", AT, heldAt);
const ITEM_HELD_AT = defineStatement(
  "kept-content-of-item-at",
  { ...AT, item: param.text(256) },
  (db, { item, ...at }) => heldAt(db, at).where("k.item", "=", item),
);

/** Kept content that views of a time show, and the row of its blob. */
export type KeptRow = RowOf<typeof HELD_AT>;

/** Returns the kept versions of a name at a time, or one of them, each once. */
export async function keptAt(
  queries: Queries,
  {
    version,
    ...wanted
  }: {
    readonly protocol: PackageProtocol;
    readonly name: string;
    readonly time: Date;
    readonly version?: string | undefined;
  },
): Promise<readonly KeptRow[]> {
  const rows = await (version === undefined
    ? queries.all(HELD_AT, wanted)
    : queries.all(ITEM_HELD_AT, { ...wanted, item: version }));
  return [...new Map(rows.map((row) => [row.item, row])).values()];
}

/** Versions in one transaction. */
const AT_ONCE = 50;

const OUTLIVED = defineStatement(
  "kept-content-outlived",
  { before: param.time, limit: param.whole },
  (db, { before, limit }, own) =>
    own.limit(
      db
        .selectFrom("kept_contents")
        .where("lost_at", "<=", before)
        .select(["id", "protocol", "name", "blob_id"])
        .orderBy("lost_at"),
      limit,
    ),
);
const DROP = defineStatement("kept-content-drop", { ids: param.wholes }, (db, { ids }, own) =>
  own.byList(db.deleteFrom("kept_contents").where("id", "in", own.wholesIn(ids))),
);

/**
 * Forgets kept content whose time is over, so that the next sweep deletes its bytes. Ends early
 * when the signal aborts. Returns the number of versions.
 */
export async function dropOutlived(changes: Changes, signal?: AbortSignal): Promise<number> {
  let dropped = 0;
  for (;;) {
    if (signal?.aborted) return dropped;
    const before = new Date(changes.now().getTime() - changes.keepContentMs);
    const count = await changes.transaction(async (unit) => {
      const rows = await unit.queries.all(OUTLIVED, { before, limit: AT_ONCE });
      if (rows.length === 0) return 0;
      // Documents of views show these versions.
      const groups = rows.map(({ protocol, name }) => `${protocol}/${name}`);
      await changes.staleAll(unit, [...new Set(groups)]);
      await unit.queries.run(DROP, { ids: rows.map(({ id }) => id) });
      for (const protocol of ["nuget", "npm"] as const) {
        const own = rows.filter((row) => row.protocol === protocol);
        await releaseBlobs(
          unit,
          own.map((row) => row.blob_id),
          protocol,
        );
      }
      return rows.length;
    });
    dropped += count;
    if (count < AT_ONCE) return dropped;
  }
}
