import type { SignInFailures } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { UniqueKeyError } from "../raw/query-port.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

const ADDRESS = { address: param.text(NAME_LENGTH.address) };

const READ = defineStatement("sign-in-failures", ADDRESS, (db, { address }) =>
  db.selectFrom("host_sign_in_failures").select("empty_ms").where("address", "=", address),
);
/** `full`: the latest time to which one more failure may be added. */
const ADD = defineStatement(
  "sign-in-failures-add",
  { ...ADDRESS, now: param.whole, full: param.whole, step: param.whole },
  (db, { address, now, full, step }) =>
    db
      .updateTable("host_sign_in_failures")
      .set((row) => ({ empty_ms: row("empty_ms", "+", step) }))
      .where("address", "=", address)
      .where("empty_ms", ">", now)
      .where("empty_ms", "<=", full),
);
const RESTART = defineStatement(
  "sign-in-failures-restart",
  { ...ADDRESS, now: param.whole, emptyAt: param.whole },
  (db, { address, now, emptyAt }) =>
    db
      .updateTable("host_sign_in_failures")
      .set({ empty_ms: emptyAt })
      .where("address", "=", address)
      .where("empty_ms", "<=", now),
);
const INSERT = defineStatement(
  "sign-in-failures-insert",
  { ...ADDRESS, emptyAt: param.whole },
  (db, { address, emptyAt }) =>
    db.insertInto("host_sign_in_failures").values({ address, empty_ms: emptyAt }),
);
const DROP_ENDED = defineStatement(
  "sign-in-failures-drop-ended",
  { before: param.whole },
  (db, { before }) => db.deleteFrom("host_sign_in_failures").where("empty_ms", "<=", before),
);

/** Milliseconds between two deletions of ended rows, and the time that they stay. */
const DROP_EVERY_MS = 10 * 60_000;

/** Each statement is a transaction: an update locks the row, so no failure is lost. */
export function createSignInFailures(queries: Queries): SignInFailures {
  let droppedAt = 0;
  return {
    emptyAt: async (address) => (await queries.one(READ, { address }))?.empty_ms,
    async add(address, { now, stepMs, windowMs }) {
      const full = now + windowMs - stepMs;
      const emptyAt = now + stepMs;
      const add = () => queries.run(ADD, { address, now, full, step: stepMs });
      if ((await add()) > 0) return "added";
      if ((await queries.run(RESTART, { address, now, emptyAt })) > 0) return "added";
      if (await insert(queries, { address, emptyAt })) {
        if (now - droppedAt < DROP_EVERY_MS) return "added";
        droppedAt = now;
        await queries.run(DROP_ENDED, { before: now - DROP_EVERY_MS });
        return "added";
      }
      // Another call has inserted the row, or restarted it.
      return (await add()) > 0 ? "added" : "full";
    },
  };
}

/** Returns whether the address had no row. */
async function insert(
  queries: Queries,
  row: { readonly address: string; readonly emptyAt: number },
): Promise<boolean> {
  try {
    await queries.run(INSERT, row);
    return true;
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
    return false;
  }
}
