import type { Caller, Protocol } from "@sealhouse/request-types";
import type { BlobProblem, BlobRecord, BlobRecords } from "@sealhouse/storage-providers";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { optionalTimeOf, textOf } from "../raw/row.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { dropContent } from "./name-blob.ts";
import { namesOf } from "./named-by.ts";

const LOCK = `select protocol, damaged_at from blobs
  where id = ? and storage_key = ? and state = 'live'`;

/** The object that was read is the blob's; it may be another copy than before. */
const MARK_SOUND = defineStatement(
  "blob-mark-sound",
  { id: param.whole, key: param.text(NAME_LENGTH.storageKey), now: param.time },
  (db, { id, key, now }) =>
    db
      .updateTable("blobs")
      .set({ storage_key: key, verified_at: now, damaged_at: null })
      .where("id", "=", id),
);
const MARK_DAMAGED = defineStatement(
  "blob-mark-damaged",
  { id: param.whole, now: param.time },
  (db, { id, now }) => db.updateTable("blobs").set({ damaged_at: now }).where("id", "=", id),
);

/** The changes of `BlobRecords`, for a caller. */
export type BlobRecordChanges = (
  caller: Caller,
) => Pick<BlobRecords, "markVerified" | "markDamaged" | "replaceKey">;

/**
 * Creates the changes of a check. Each one verifies the key, because the row may have another
 * object by now.
 */
export function createBlobRecordChanges(changes: Changes): BlobRecordChanges {
  return (caller) => ({
    markVerified: (blob) =>
      changes.transaction(async (unit) => {
        const known = await lock(unit, blob);
        if (!known) return;
        await unit.queries.run(MARK_SOUND, { ...blob, now: changes.now() });
        if (known.isDamaged) await announce(changes, unit, { ...known, blob, caller });
      }),
    markDamaged: (blob, problem) =>
      changes.transaction(async (unit) => {
        const known = await lock(unit, blob);
        if (!known) return undefined;
        const namedBy = await namesOf(unit, known.protocol, blob.id);
        if (known.isDamaged) return namedBy;
        await unit.queries.run(MARK_DAMAGED, { id: blob.id, now: changes.now() });
        await announce(changes, unit, { ...known, blob, caller, damage: { problem, namedBy } });
        return namedBy;
      }),
    replaceKey: (blob, key) =>
      changes.transaction(async (unit) => {
        const known = await lock(unit, blob);
        if (!known) return false;
        await unit.queries.run(MARK_SOUND, { id: blob.id, key, now: changes.now() });
        await dropContent(unit, blob.id);
        await announce(changes, unit, { ...known, blob, caller });
        return true;
      }),
  });
}

type Known = { readonly protocol: Protocol; readonly isDamaged: boolean };

async function lock(
  { read, forUpdate }: Unit,
  { id, key }: BlobRecord,
): Promise<Known | undefined> {
  const statement = { name: `blob-record${forUpdate}`, sql: `${LOCK}${forUpdate}` };
  const [row] = await read(statement, [id, key]);
  if (!row) return undefined;
  const isDamaged = optionalTimeOf(row, "damaged_at") !== undefined;
  return { protocol: textOf(row, "protocol") as Known["protocol"], isDamaged };
}

type Told = {
  readonly protocol: string;
  readonly blob: BlobRecord;
  readonly caller: Caller;
  /** Undefined: the blob is sound again. */
  readonly damage?: { readonly problem: BlobProblem; readonly namedBy: readonly string[] };
};

function announce(
  changes: Changes,
  unit: Unit,
  { protocol, blob, caller, damage }: Told,
): Promise<void> {
  const names = protocol === "oci" ? "repositories" : "versions";
  return changes.event(unit, {
    type: damage ? "blob.damaged" : "blob.restored",
    subject: `${protocol}/${blob.digest}`,
    caller,
    detail: {
      size: blob.size,
      ...(damage && { problem: damage.problem, [names]: damage.namedBy }),
    },
  });
}
