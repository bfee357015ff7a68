import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { NAME_LENGTH } from "./entities/name-length.ts";
import { DatabaseUnavailableError } from "./errors.ts";
import { UniqueKeyError } from "./raw/query-port.ts";
import { param } from "./statements/kinds.ts";
import type { Queries } from "./statements/queries.ts";
import { defineStatement } from "./statements/statement.ts";
import type { BareTransaction } from "./transactions/unit-of-work.ts";

/** Milliseconds for which a result is valid, by what it was. */
export type ProbeAges = { readonly success: number; readonly failure: number };

/** Each probe costs a transaction and its log, and anonymous callers may ask for the health. */
const AGES: ProbeAges = { success: 30_000, failure: 5_000 };
/** Bytes of the row: several pages, so that the database needs space for it. */
const ROW_BYTES = 8 * 1_024;

const KEY = { key: param.text(NAME_LENGTH.document) };

/** The table of stored documents takes rows of any size, and nothing refers to them. */
const WRITE = defineStatement(
  "write-probe",
  { ...KEY, bytes: param.bytes, at: param.time },
  (db, { key, bytes, at }) =>
    db.insertInto("documents").values({
      document_key: key,
      group_name: key,
      etag: "",
      content_type: "",
      modified_at: at,
      identity: bytes,
    }),
);
const REMOVE = defineStatement("write-probe-end", KEY, (db, { key }) =>
  db.deleteFrom("documents").where("document_key", "=", key),
);

/** Checks of writing to a database. */
export type WriteProbe = {
  /**
   * Writes a row and deletes it. The result is shared and kept for a while. Rejects with the reason
   * why the database takes no rows, such as `database-full`.
   */
  readonly check: () => Promise<void>;
  /**
   * Wraps transactions: `check` also rejects for a while after one that found the database full.
   * InnoDB reuses the space of the row, and so finds room for it on a full volume.
   */
  readonly watching: (transaction: BareTransaction) => BareTransaction;
};

/** Checks whether the database takes rows. */
export function createWriteProbe(
  queries: Queries,
  { now, ages = AGES }: { readonly now: () => Date; readonly ages?: ProbeAges },
): WriteProbe {
  // The same key in each process of this machine: a row that a crash left is deleted by the next.
  const key = `health/${hostname()}`.slice(0, NAME_LENGTH.document);
  let latest: Promise<void> | undefined;
  let validUntil = Infinity;
  const keep = (result: Promise<void>, age: keyof ProbeAges): void => {
    if (latest === result) validUntil = performance.now() + ages[age];
  };
  const begin = (): Promise<void> => {
    const probing = probe(queries, key, now());
    validUntil = Infinity;
    probing.then(
      () => keep(probing, "success"),
      () => keep(probing, "failure"),
    );
    return probing;
  };
  return {
    async check() {
      if (latest === undefined || performance.now() >= validUntil) latest = begin();
      return latest;
    },
    watching: (transaction) => async (work) => {
      try {
        return await transaction(work);
      } catch (error) {
        if (error instanceof DatabaseUnavailableError && error.code === "database-full") {
          latest = Promise.reject(error);
          latest.catch(() => undefined);
          keep(latest, "success");
        }
        throw error;
      }
    },
  };
}

async function probe(queries: Queries, key: string, at: Date): Promise<void> {
  try {
    await queries.run(WRITE, { key, bytes: randomBytes(ROW_BYTES), at });
  } catch (error) {
    // Another instance of this machine has just written it, or a crash left it.
    if (!(error instanceof UniqueKeyError)) throw error;
  }
  await queries.run(REMOVE, { key });
}
