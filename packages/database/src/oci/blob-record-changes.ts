import { parseRepositoryName } from "@sealhouse/oci-distribution";
import type {
  BlobProblem,
  BlobRecord,
  BlobRecords,
  Caller,
  RepositoryName,
} from "@sealhouse/oci-distribution";
import { dropContent } from "../blobs/name-blob.ts";
import { Blob } from "../entities/blob.ts";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import { optionalTimeOf, textOf } from "../raw/row.ts";

const LOCK = "select damaged_at from blobs where id = ? and storage_key = ? and state = 'live'";
const REPOSITORIES = {
  name: "oci-blob-repositories",
  sql: `select r.name from oci_repository_blobs l join oci_repositories r on r.id = l.repository_id
    where l.blob_id = ? order by r.name limit 20`,
};

export type BlobRecordChanges = Pick<BlobRecords, "markVerified" | "markDamaged" | "replaceKey">;

/** Every change asks again for the object that was looked at: the row may have another by now. */
export function createBlobRecordChanges(changes: Changes): BlobRecordChanges {
  return {
    markVerified: (blob, caller) =>
      changes.transaction(async (unit) => {
        const known = await lock(unit, blob);
        if (!known) return;
        const sound = { verifiedAt: changes.now(), damagedAt: null };
        await unit.catalog.nativeUpdate(Blob, { id: blob.id }, sound);
        if (known.isDamaged) await announce(changes, unit, { type: "blob.restored", blob, caller });
      }),
    markDamaged: (blob, problem, caller) =>
      changes.transaction(async (unit) => {
        const known = await lock(unit, blob);
        if (!known) return undefined;
        const repositories = await repositoriesOf(unit, blob);
        if (known.isDamaged) return repositories;
        await unit.catalog.nativeUpdate(Blob, { id: blob.id }, { damagedAt: changes.now() });
        const told = { type: "blob.damaged", blob, caller, problem, repositories } as const;
        await announce(changes, unit, told);
        return repositories;
      }),
    replaceKey: (blob, key, caller) =>
      changes.transaction(async (unit) => {
        if (!(await lock(unit, blob))) return false;
        const sound = { storageKey: key, verifiedAt: changes.now(), damagedAt: null };
        await unit.catalog.nativeUpdate(Blob, { id: blob.id }, sound);
        await dropContent(unit, blob.id);
        await announce(changes, unit, { type: "blob.restored", blob, caller });
        return true;
      }),
  };
}

async function lock(
  { read, forUpdate }: Unit,
  { id, key }: BlobRecord,
): Promise<{ readonly isDamaged: boolean } | undefined> {
  const statement = { name: `oci-blob-record${forUpdate}`, sql: `${LOCK}${forUpdate}` };
  const [row] = await read(statement, [id, key]);
  return row && { isDamaged: optionalTimeOf(row, "damaged_at") !== undefined };
}

async function repositoriesOf(
  { read }: Unit,
  { id }: BlobRecord,
): Promise<readonly RepositoryName[]> {
  const rows = await read(REPOSITORIES, [id]);
  return rows.map((row) => parseRepositoryName(textOf(row, "name")));
}

type Told = {
  readonly type: "blob.damaged" | "blob.restored";
  readonly blob: BlobRecord;
  readonly caller: Caller;
  readonly problem?: BlobProblem;
  readonly repositories?: readonly RepositoryName[];
};

function announce(
  changes: Changes,
  unit: Unit,
  { type, blob, caller, problem, repositories }: Told,
): Promise<void> {
  const detail = {
    size: blob.size,
    ...(problem && { problem }),
    ...(repositories && { repositories }),
  };
  return changes.event(unit, { type, subject: `oci/${blob.digest}`, caller, detail });
}
