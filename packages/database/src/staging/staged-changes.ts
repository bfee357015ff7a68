import type { Caller } from "@sealhouse/request-types";
import { randomUUID } from "node:crypto";
import { SYSTEM } from "@sealhouse/events";
import { digestOfSha256 } from "../blobs/digest.ts";
import { nameBlob } from "../blobs/name-blob.ts";
import type { BlobToName } from "../blobs/name-blob.ts";
import { releaseBlobs } from "../blobs/release-blobs.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { StagedVersion } from "../entities/staged-version.ts";
import { storableText } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { numberOf, textOf, timeOf } from "../raw/row.ts";
import type { StagedProtocol } from "./staged-rows.ts";

const COUNT: Statement = {
  name: "staged-versions-count",
  sql: "select cast(count(*) as bigint) as staged from staged_versions where protocol = ?",
};
const STANDING: Statement = {
  name: "staged-versions-standing",
  sql: `select id, version, summary, actor, expires_at, blob_id from staged_versions
    where protocol = ? and name = ?`,
};
const EXPIRED: Statement = {
  name: "staged-versions-expired",
  sql: `select id, protocol, name, version, actor, blob_id from staged_versions
    where expires_at <= ? order by expires_at, id limit ?`,
};
const DROP: Statement = {
  name: "staged-version-drop",
  sql: "delete from staged_versions where id = ?",
};

/** The protocol and the name of what is staged. */
export type StagedName = { readonly protocol: StagedProtocol; readonly name: string };

/** Changes of what is staged of one name wait for each other. */
export function lockStaged(
  changes: Changes,
  unit: Unit,
  { protocol, name }: StagedName,
): Promise<void> {
  return changes.stale(unit, `staged/${protocol}/${name}`);
}

export type StandingStaged = {
  readonly id: string;
  readonly version: string;
  readonly summary: string;
  readonly actor: string;
};

/** What is staged of a name. What has expired of it goes on the way, so that its versions are free
 * again. */
export async function standingStaged(
  changes: Changes,
  unit: Unit,
  { protocol, name }: StagedName,
): Promise<readonly StandingStaged[]> {
  const rows = await unit.read(STANDING, [protocol, name]);
  const now = changes.now();
  const isExpired = (row: Row) => timeOf(row, "expires_at") <= now;
  const expired = rows.filter(isExpired).map((row) => ({ ...leavingOf(row), protocol, name }));
  await leave(changes, unit, expired, { type: "package.stage-expired", caller: SYSTEM });
  return rows
    .filter((row) => !isExpired(row))
    .map((row) => ({
      id: textOf(row, "id"),
      version: textOf(row, "version"),
      summary: textOf(row, "summary"),
      actor: textOf(row, "actor"),
    }));
}

/** Of all names of a protocol together. */
export async function countStaged({ read }: Unit, protocol: StagedProtocol): Promise<number> {
  const [row] = await read(COUNT, [protocol]);
  return row ? numberOf(row, "staged") : 0;
}

export type NewStaged = StagedName & {
  readonly version: string;
  readonly summary: string;
  readonly details: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly blob: Pick<BlobToName, "key" | "size" | "bytes"> & { readonly sha256: string };
};

/** Names the bytes, and lets the version wait. `detail` goes into its event. */
export async function insertStaged(
  changes: Changes,
  unit: Unit,
  given: NewStaged,
  by: { readonly caller: Caller; readonly detail: Readonly<Record<string, unknown>> },
): Promise<{ readonly id: string; readonly surplus: boolean }> {
  const { blob: kept, ...row } = given;
  const { sha256, size } = kept;
  const { protocol, name, version } = row;
  const named = { ...kept, protocol, digest: digestOfSha256(sha256) };
  const blob = await nameBlob(unit, named, changes.now());
  const id = randomUUID();
  const actor = storableText(by.caller.actor).slice(0, NAME_LENGTH.actor);
  await unit.catalog.insert(StagedVersion, { ...row, id, actor, blob: blob.id });
  const subject = `${protocol}/${name}@${version}`;
  const detail = { stageId: id, size, sha256, ...by.detail };
  await changes.event(unit, { type: "package.staged", subject, caller: by.caller, detail });
  return { id, surplus: blob.surplus };
}

/** One that waits still, locked until the commit; `lockStaged` comes before. */
export async function takeStaged(
  changes: Changes,
  { read, forUpdate }: Unit,
  wanted: StagedName & { readonly id: string },
): Promise<LeavingStaged | undefined> {
  const { protocol, name, id } = wanted;
  const sql = `select id, version, actor, blob_id from staged_versions
    where id = ? and protocol = ? and name = ? and expires_at > ?${forUpdate}`;
  const statement = { name: `staged-version-take${forUpdate}`, sql };
  const [row] = await read(statement, [id, protocol, name, changes.now()]);
  return row && { ...leavingOf(row), protocol, name };
}

/** Ends the waiting of one that is published in the same transaction. */
export async function dropStaged({ run }: Unit, id: string): Promise<void> {
  await run(DROP, [id]);
}

export type LeavingStaged = StagedName & {
  readonly id: string;
  readonly version: string;
  readonly actor: string;
  readonly blobId: number;
};

/** Takes versions away that will not be published, and the names of their bytes with them. */
export async function leave(
  changes: Changes,
  unit: Unit,
  leaving: readonly LeavingStaged[],
  how: {
    readonly type: "package.stage-rejected" | "package.stage-expired";
    readonly caller: Caller;
  },
): Promise<number> {
  const gone: LeavingStaged[] = [];
  for (const one of leaving) {
    // Somebody else may have been first.
    if ((await unit.run(DROP, [one.id])) === 0) continue;
    gone.push(one);
    const subject = `${one.protocol}/${one.name}@${one.version}`;
    const detail = { stageId: one.id, stagedBy: one.actor };
    await changes.event(unit, { ...how, subject, detail });
  }
  for (const [protocol, some] of Map.groupBy(gone, (one) => one.protocol)) {
    const blobIds = some.map(({ blobId }) => blobId);
    await releaseBlobs(unit, blobIds, protocol);
  }
  return gone.length;
}

/** Removes what has expired, of all protocols, at most so many; gives how many it was. */
export function expireStaged(changes: Changes, atMost: number): Promise<number> {
  return changes.transaction(async (unit) => {
    const rows = await unit.read(EXPIRED, [changes.now(), atMost]);
    const expired = rows.map((row) => ({
      ...leavingOf(row),
      protocol: textOf(row, "protocol") === "nuget" ? ("nuget" as const) : ("npm" as const),
      name: textOf(row, "name"),
    }));
    return leave(changes, unit, expired, { type: "package.stage-expired", caller: SYSTEM });
  });
}

function leavingOf(row: Row) {
  return {
    id: textOf(row, "id"),
    version: textOf(row, "version"),
    actor: textOf(row, "actor"),
    blobId: numberOf(row, "blob_id"),
  };
}
