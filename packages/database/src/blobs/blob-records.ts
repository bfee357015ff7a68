import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import type { Caller, Protocol } from "@sealhouse/request-types";
import type { BlobProblem, BlobRecord, BlobRecords } from "@sealhouse/storage-providers";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { dropContent } from "./name-blob.ts";
import { namesOf } from "./named-by.ts";
import { staleDocuments } from "./stale-documents.ts";

const COLUMNS = ["id", "digest", "size", "storage_key", "verified_at", "damaged_at"] as const;
const PAGE_OF = {
  protocol: param.text(NAME_LENGTH.protocol),
  after: param.whole,
  limit: param.whole,
};
const OBJECT = { id: param.whole, key: param.text(NAME_LENGTH.storageKey) };

const records = (db: Kysely<Tables>, protocol: Expression<string>) =>
  db
    .selectFrom("blobs")
    .where("protocol", "=", protocol)
    .where("state", "=", sql.lit("live"))
    .select(COLUMNS);

const PAGE = defineStatement("blob-records", PAGE_OF, (db, { protocol, after, limit }, own) =>
  own.limit(records(db, protocol).where("id", ">", after).orderBy("id"), limit),
);
const NEVER = defineStatement(
  "blobs-never-verified",
  { ...PAGE_OF, upTo: param.whole },
  (db, { protocol, after, upTo, limit }, own) =>
    own.limit(
      records(db, protocol)
        .where("verified_at", "is", null)
        .where("id", ">", after)
        .where("id", "<=", upTo)
        .orderBy("id"),
      limit,
    ),
);
const STALE = defineStatement(
  "blobs-verified-before",
  { ...PAGE_OF, upTo: param.whole, before: param.time, since: param.time },
  (db, { protocol, after, upTo, before, since, limit }, own) =>
    own.limit(
      records(db, protocol)
        .where("verified_at", "<", before)
        .where("id", "<=", upTo)
        .where((blob) =>
          blob.or([
            blob("verified_at", ">", since),
            blob.and([blob("verified_at", "=", since), blob("id", ">", after)]),
          ]),
        )
        .orderBy("verified_at")
        .orderBy("id"),
      limit,
    ),
);
/** The common case of a check: the object was sound, and is. */
const VERIFIED = defineStatement(
  "blob-verified",
  { ...OBJECT, now: param.time },
  (db, { id, key, now }) =>
    db
      .updateTable("blobs")
      .set({ verified_at: now })
      .where("id", "=", id)
      .where("storage_key", "=", key)
      .where("state", "=", sql.lit("live"))
      .where("damaged_at", "is", null),
);
const LOCK = defineStatement("blob-record", OBJECT, (db, { id, key }, own) =>
  own.forUpdate(
    db
      .selectFrom("blobs")
      .where("id", "=", id)
      .where("storage_key", "=", key)
      .where("state", "=", sql.lit("live"))
      .select(["protocol", "damaged_at"]),
  ),
);
/** The object that was read is the blob's; it may be another copy than before. */
const MARK_SOUND = defineStatement(
  "blob-mark-sound",
  { ...OBJECT, now: param.time },
  (db, { id, key, now }) =>
    db
      .updateTable("blobs")
      .set({ storage_key: key, verified_at: now, damaged_at: sql.lit(null) })
      .where("id", "=", id),
);
const MARK_DAMAGED = defineStatement(
  "blob-mark-damaged",
  { id: param.whole, now: param.time },
  (db, { id, now }) => db.updateTable("blobs").set({ damaged_at: now }).where("id", "=", id),
);

/**
 * Rows of blobs for a check of the storage; `caller` is named by its events. Each change verifies
 * the key, because the row may have another object by now.
 */
export function createBlobRecords(
  { queries, changes }: Pick<PortContext, "queries" | "changes">,
  { protocol, caller }: { readonly protocol: Protocol; readonly caller: Caller },
): BlobRecords {
  return {
    async blobs({ limit, after = 0 }) {
      return (await queries.all(PAGE, { protocol, after, limit })).map(recordOf);
    },
    async unverified({ before, upTo, limit, after }) {
      const page = { protocol, upTo, limit };
      if (!after?.verifiedAt) {
        const never = await queries.all(NEVER, { ...page, after: after?.id ?? 0 });
        if (never.length > 0) return never.map(recordOf);
      }
      const since = after?.verifiedAt ?? new Date(0);
      const id = after?.verifiedAt ? after.id : 0;
      const rows = await queries.all(STALE, { ...page, before, since, after: id });
      return rows.map(recordOf);
    },
    async markVerified(blob) {
      const { id, key } = blob;
      if ((await queries.run(VERIFIED, { id, key, now: changes.now() })) > 0) return;
      await changes.transaction(async (unit) => {
        const blobState = await lock(unit, blob);
        if (!blobState) return;
        await unit.queries.run(MARK_SOUND, { id, key, now: changes.now() });
        if (blobState.isDamaged) await announce(changes, unit, { ...blobState, blob, caller });
      });
    },
    markDamaged: (blob, problem) =>
      changes.transaction(async (unit) => {
        const blobState = await lock(unit, blob);
        if (!blobState) return undefined;
        const namedBy = await namesOf(unit, blobState.protocol, blob.id);
        if (blobState.isDamaged) return namedBy;
        await unit.queries.run(MARK_DAMAGED, { id: blob.id, now: changes.now() });
        await announce(changes, unit, { ...blobState, blob, caller, damage: { problem, namedBy } });
        return namedBy;
      }),
    replaceKey: (blob, key) =>
      changes.transaction(async (unit) => {
        const blobState = await lock(unit, blob);
        if (!blobState) return false;
        await unit.queries.run(MARK_SOUND, { id: blob.id, key, now: changes.now() });
        await dropContent(unit, blob.id);
        await announce(changes, unit, { ...blobState, blob, caller });
        return true;
      }),
  };
}

function recordOf(row: RowOf<typeof PAGE>): BlobRecord {
  return {
    id: row.id,
    digest: row.digest,
    size: row.size,
    key: row.storage_key,
    ...(row.verified_at && { verifiedAt: row.verified_at }),
    ...(row.damaged_at && { damagedAt: row.damaged_at }),
  };
}

type BlobState = { readonly protocol: Protocol; readonly isDamaged: boolean };

async function lock({ queries }: Unit, { id, key }: BlobRecord): Promise<BlobState | undefined> {
  const row = await queries.one(LOCK, { id, key });
  if (!row) return undefined;
  return { protocol: row.protocol as Protocol, isDamaged: row.damaged_at !== null };
}

type BlobChange = {
  readonly protocol: Protocol;
  readonly blob: BlobRecord;
  readonly caller: Caller;
  /** Undefined: the blob is sound again. */
  readonly damage?: { readonly problem: BlobProblem; readonly namedBy: readonly string[] };
};

async function announce(
  changes: Changes,
  unit: Unit,
  { protocol, blob, caller, damage }: BlobChange,
): Promise<void> {
  await staleDocuments(changes, unit, { protocol, id: blob.id });
  const names = protocol === "oci" ? "repositories" : "versions";
  await changes.event(unit, {
    type: damage ? "blob.damaged" : "blob.restored",
    subject: `${protocol}/${blob.digest}`,
    caller,
    detail: {
      size: blob.size,
      ...(damage && { problem: damage.problem, [names]: damage.namedBy }),
    },
  });
}
