import type { Caller } from "@sealhouse/request-types";
import { randomUUID } from "node:crypto";
import { SYSTEM } from "@sealhouse/events";
import { digestOfSha256 } from "../blobs/digest.ts";
import { nameBlob } from "../blobs/name-blob.ts";
import type { BlobToName } from "../blobs/name-blob.ts";
import { releaseBlobs } from "../blobs/release-blobs.ts";
import { staleDocuments } from "../blobs/stale-documents.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { StagedProtocol } from "./staged-rows.ts";

const NAMED = { protocol: param.text(NAME_LENGTH.protocol), name: param.text(255) };
const COUNT = defineStatement(
  "staged-versions-count",
  { protocol: NAMED.protocol },
  (db, { protocol }) =>
    db
      .selectFrom("staged_versions")
      .where("protocol", "=", protocol)
      .select(({ fn }) => fn.countAll<number>().as("staged")),
);
const COUNT_BY = defineStatement(
  "staged-versions-count-by",
  { protocol: NAMED.protocol, actor: param.text(NAME_LENGTH.actor), now: param.time },
  (db, { protocol, actor, now }) =>
    db
      .selectFrom("staged_versions")
      .where("protocol", "=", protocol)
      .where("actor", "=", actor)
      .where("expires_at", ">", now)
      .select(({ fn }) => fn.countAll<number>().as("staged")),
);
const STANDING = defineStatement("staged-versions-standing", NAMED, (db, { protocol, name }) =>
  db
    .selectFrom("staged_versions")
    .where("protocol", "=", protocol)
    .where("name", "=", name)
    .select(["id", "version", "summary", "actor", "expires_at", "blob_id"]),
);
const EXPIRED = defineStatement(
  "staged-versions-expired",
  { now: param.time, limit: param.whole },
  (db, { now, limit }, own) =>
    own.limit(
      db
        .selectFrom("staged_versions")
        .where("expires_at", "<=", now)
        .select(["id", "protocol", "name", "version", "actor", "blob_id"])
        .orderBy("expires_at")
        .orderBy("id"),
      limit,
    ),
);
const TAKE = defineStatement(
  "staged-version-take",
  { id: param.text(36), ...NAMED, now: param.time },
  (db, { id, protocol, name, now }, own) =>
    own.forUpdate(
      db
        .selectFrom("staged_versions")
        .where("id", "=", id)
        .where("protocol", "=", protocol)
        .where("name", "=", name)
        .where("expires_at", ">", now)
        .select(["id", "version", "actor", "blob_id"]),
    ),
);
const INSERT = defineStatement(
  "staged-version-insert",
  {
    id: param.text(36),
    ...NAMED,
    version: param.text(256),
    summary: param.longText,
    details: param.longText,
    actor: param.text(NAME_LENGTH.actor),
    createdAt: param.time,
    expiresAt: param.time,
    blobId: param.whole,
  },
  (db, parameters) => db.insertInto("staged_versions").values(inColumns(parameters)),
);
const DROP = defineStatement("staged-version-drop", { id: param.text(36) }, (db, { id }) =>
  db.deleteFrom("staged_versions").where("id", "=", id),
);

/** The protocol and the name of what is staged. */
export type StagedName = { readonly protocol: StagedProtocol; readonly name: string };

/** Changes of what is staged of one name wait for each other. */
export async function lockStaged(
  changes: Changes,
  unit: Unit,
  { protocol, name }: StagedName,
): Promise<void> {
  await changes.stale(unit, `staged/${protocol}/${name}`);
}

/** Locks the number of staged versions of a protocol until the commit, after `lockStaged`. */
export async function lockStagedCount(
  changes: Changes,
  unit: Unit,
  protocol: StagedProtocol,
): Promise<void> {
  await changes.stale(unit, `staged/${protocol}`);
}

export type StandingStaged = {
  readonly id: string;
  readonly version: string;
  readonly summary: string;
  readonly actor: string;
};

/** Returns the staged versions of a name. Deletes expired ones, which frees their numbers. */
export async function standingStaged(
  changes: Changes,
  unit: Unit,
  { protocol, name }: StagedName,
): Promise<readonly StandingStaged[]> {
  const rows = await unit.queries.all(STANDING, { protocol, name });
  const now = changes.now();
  const [standing, expired] = [
    rows.filter((row) => row.expires_at > now),
    rows.filter((row) => row.expires_at <= now),
  ];
  const leaving = expired.map((row) => ({ ...stagedRemoval(row), protocol, name }));
  await leave(changes, unit, leaving, { type: "package.stage-expired", caller: SYSTEM });
  return standing.map(({ id, version, summary, actor }) => ({ id, version, summary, actor }));
}

/** Counts the staged versions of a protocol. */
export async function countStaged({ queries }: Unit, protocol: StagedProtocol): Promise<number> {
  const row = await queries.one(COUNT, { protocol });
  return row?.staged ?? 0;
}

/** Counts the staged versions of a caller that have not expired. */
export async function countStagedBy(
  { queries }: Unit,
  {
    protocol,
    caller,
    now,
  }: { readonly protocol: StagedProtocol; readonly caller: Caller; readonly now: Date },
): Promise<number> {
  const row = await queries.one(COUNT_BY, { protocol, actor: stagerOf(caller), now });
  return row?.staged ?? 0;
}

/** Returns the text of the column `actor`. */
function stagerOf({ actor }: Caller): string {
  return storableText(actor).slice(0, NAME_LENGTH.actor);
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
  newVersion: NewStaged,
  by: { readonly caller: Caller; readonly detail: Readonly<Record<string, unknown>> },
): Promise<{ readonly id: string; readonly isDuplicate: boolean }> {
  const { blob: stagedBlob, ...row } = newVersion;
  const { sha256, size } = stagedBlob;
  const { protocol, name, version } = row;
  const newBlob = { ...stagedBlob, protocol, digest: digestOfSha256(sha256) };
  const blob = await nameBlob(unit, newBlob, changes.now());
  if (blob.isRestored) await staleDocuments(changes, unit, { protocol, id: blob.id });
  const id = randomUUID();
  const actor = stagerOf(by.caller);
  await unit.queries.run(INSERT, { ...row, id, actor, blobId: blob.id });
  const subject = `${protocol}/${name}@${version}`;
  const detail = { stageId: id, size, sha256, ...by.detail };
  await changes.event(unit, { type: "package.staged", subject, caller: by.caller, detail });
  return { id, isDuplicate: blob.isDuplicate };
}

/** One that waits still, locked until the commit; `lockStaged` comes before. */
export async function claimStaged(
  changes: Changes,
  { queries }: Unit,
  target: StagedName & { readonly id: string },
): Promise<LeavingStaged | undefined> {
  const { protocol, name } = target;
  const row = await queries.one(TAKE, { ...target, now: changes.now() });
  return row && { ...stagedRemoval(row), protocol, name };
}

/** Ends the waiting of one that is published in the same transaction. */
export async function dropStaged({ queries }: Unit, id: string): Promise<void> {
  await queries.run(DROP, { id });
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
  for (const version of leaving) {
    // Another change may have deleted it.
    if ((await unit.queries.run(DROP, { id: version.id })) === 0) continue;
    gone.push(version);
    const subject = `${version.protocol}/${version.name}@${version.version}`;
    const detail = { stageId: version.id, stagedBy: version.actor };
    await changes.event(unit, { ...how, subject, detail });
  }
  for (const [protocol, some] of Map.groupBy(gone, (entry) => entry.protocol)) {
    const blobIds = some.map(({ blobId }) => blobId);
    await releaseBlobs(unit, blobIds, protocol);
  }
  return gone.length;
}

/** Deletes at most `atMost` expired versions of all protocols; returns their number. */
export function expireStaged(changes: Changes, atMost: number): Promise<number> {
  return changes.transaction(async (unit) => {
    const rows = await unit.queries.all(EXPIRED, { now: changes.now(), limit: atMost });
    const expired = rows.map((row) => ({
      ...stagedRemoval(row),
      protocol: row.protocol === "nuget" ? ("nuget" as const) : ("npm" as const),
      name: row.name,
    }));
    return leave(changes, unit, expired, { type: "package.stage-expired", caller: SYSTEM });
  });
}

function stagedRemoval(row: RowOf<typeof TAKE>) {
  return { id: row.id, version: row.version, actor: row.actor, blobId: row.blob_id };
}
