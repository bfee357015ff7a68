import type { Protocol } from "@sealhouse/request-types";
import { SYSTEM } from "@sealhouse/events";
import type { PortContext } from "../port-context.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalTimeOf, textOf } from "../raw/row.ts";
import { digestOfSha256 } from "./digest.ts";
import { nameBlob } from "./name-blob.ts";
import { namesOf } from "./named-by.ts";

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

const FIND: Statement = {
  name: "blob-register-find",
  sql: `select storage_key, damaged_at from blobs
    where protocol = ? and digest = ? and state = 'live'`,
};
const BY_KEY = `select id, digest, size, damaged_at from blobs
  where protocol = ? and storage_key = ? and state = 'live'`;
const DAMAGED = `select id from blobs
  where protocol = ? and digest = ? and state = 'live' and damaged_at is not null`;
const MARK: Statement = {
  name: "blob-register-mark",
  sql: "update blobs set damaged_at = ? where id = ?",
};

export function createBlobRegister(
  { port, changes }: Pick<PortContext, "port" | "changes">,
  protocol: Protocol,
): BlobRegister {
  return {
    async find(digest) {
      const row = await port.one(FIND, [protocol, digest]);
      if (!row) return undefined;
      const isDamaged = optionalTimeOf(row, "damaged_at") !== undefined;
      return { key: textOf(row, "storage_key"), isDamaged };
    },
    markMissing: (key) =>
      changes.transaction(async (unit) => {
        const row = await lockRow(unit, { name: "blob-register-key", sql: BY_KEY }, protocol, key);
        if (!row || optionalTimeOf(row, "damaged_at")) return;
        await unit.run(MARK, [changes.now(), numberOf(row, "id")]);
        const namedBy = await namesOf(unit, protocol, numberOf(row, "id"));
        await changes.event(unit, {
          type: "blob.damaged",
          subject: `${protocol}/${textOf(row, "digest")}`,
          caller: SYSTEM,
          detail: {
            size: numberOf(row, "size"),
            problem: "missing",
            [protocol === "oci" ? "repositories" : "versions"]: namedBy,
          },
        });
      }),
    restore: ({ sha256, ...blob }) =>
      changes.transaction(async (unit) => {
        const digest = digestOfSha256(sha256);
        const damaged = { name: "blob-register-damaged", sql: DAMAGED };
        if (!(await lockRow(unit, damaged, protocol, digest))) return false;
        await nameBlob(unit, { ...blob, protocol, digest }, changes.now());
        const subject = `${protocol}/${digest}`;
        const detail = { size: blob.size };
        await changes.event(unit, { type: "blob.restored", subject, caller: SYSTEM, detail });
        return true;
      }),
  };
}

async function lockRow(
  { read, forUpdate }: Unit,
  { name, sql }: { readonly name: string; readonly sql: string },
  ...which: readonly string[]
): Promise<Row | undefined> {
  const [row] = await read({ name: `${name}${forUpdate}`, sql: `${sql}${forUpdate}` }, which);
  return row;
}
