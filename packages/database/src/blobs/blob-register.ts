import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import { SYSTEM } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";
import { digestOfSha256 } from "./digest.ts";
import { nameBlob } from "./name-blob.ts";
import { namesOf } from "./named-by.ts";
import { staleDocuments } from "./stale-documents.ts";

/** Implements `BlobRegister` of storage-providers for the blobs of one protocol. */
export interface BlobRegister {
  find(digest: string): Promise<{ readonly key: string; readonly isDamaged: boolean } | undefined>;
  markMissing(key: string): Promise<void>;
  restore(blob: RestoredBlob): Promise<boolean>;
}

export type RestoredBlob = {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes?: Uint8Array;
};

const PROTOCOL = { protocol: param.text(NAME_LENGTH.protocol) };
const DIGEST = { ...PROTOCOL, digest: param.text(NAME_LENGTH.digest) };

const FIND = defineStatement("blob-register-find", DIGEST, (db, { protocol, digest }) =>
  liveBlobs(db, protocol).where("digest", "=", digest).select(["storage_key", "damaged_at"]),
);
const LOCK_KEY = defineStatement(
  "blob-register-key",
  { ...PROTOCOL, key: param.text(NAME_LENGTH.storageKey) },
  (db, { protocol, key }, own) =>
    own.forUpdate(
      liveBlobs(db, protocol)
        .where("storage_key", "=", key)
        .select(["id", "digest", "size", "damaged_at"]),
    ),
);
const LOCK_DAMAGED = defineStatement(
  "blob-register-damaged",
  DIGEST,
  (db, { protocol, digest }, own) =>
    own.forUpdate(
      liveBlobs(db, protocol)
        .where("digest", "=", digest)
        .where("damaged_at", "is not", null)
        .select("id"),
    ),
);
const MARK = defineStatement(
  "blob-register-mark",
  { id: param.whole, now: param.time },
  (db, { id, now }) => db.updateTable("blobs").set({ damaged_at: now }).where("id", "=", id),
);

function liveBlobs(db: Kysely<Tables>, protocol: Expression<string>) {
  return db
    .selectFrom("blobs")
    .where("protocol", "=", protocol)
    .where("state", "=", sql.lit("live"));
}

export function createBlobRegister(
  { queries, changes }: Pick<PortContext, "queries" | "changes">,
  protocol: Protocol,
): BlobRegister {
  return {
    async find(digest) {
      const row = await queries.one(FIND, { protocol, digest });
      return row && { key: row.storage_key, isDamaged: row.damaged_at !== null };
    },
    markMissing: (key) =>
      changes.transaction(async (unit) => {
        const blob = await unit.queries.one(LOCK_KEY, { protocol, key });
        if (!blob || blob.damaged_at) return;
        await unit.queries.run(MARK, { id: blob.id, now: changes.now() });
        await staleDocuments(changes, unit, { protocol, id: blob.id });
        const namedBy = await namesOf(unit, protocol, blob.id);
        await changes.event(unit, {
          type: "blob.damaged",
          subject: `${protocol}/${blob.digest}`,
          caller: SYSTEM,
          detail: {
            size: blob.size,
            problem: "missing",
            [protocol === "oci" ? "repositories" : "versions"]: namedBy,
          },
        });
      }),
    restore: ({ sha256, ...blob }) =>
      changes.transaction(async (unit) => {
        const digest = digestOfSha256(sha256);
        if (!(await unit.queries.one(LOCK_DAMAGED, { protocol, digest }))) return false;
        const { id } = await nameBlob(unit, { ...blob, protocol, digest }, changes.now());
        await staleDocuments(changes, unit, { protocol, id });
        const subject = `${protocol}/${digest}`;
        const detail = { size: blob.size };
        await changes.event(unit, { type: "blob.restored", subject, caller: SYSTEM, detail });
        return true;
      }),
  };
}
