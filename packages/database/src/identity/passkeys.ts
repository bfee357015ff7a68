import { createHash } from "node:crypto";
import { PASSKEYS_MAX } from "@sealhouse/identity";
import type { PasskeyKey, PasskeyRecord, Passkeys } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";
import { textList } from "../statements/text-list.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Selectable } from "#kysely";

const USER = { userId: param.text(36) };
const KEY = { hash: param.text(64), ...USER };

const COLUMNS = [
  "credential_id",
  "user_id",
  "rp_id",
  "public_key",
  "counter",
  "backed_up",
  "transports",
  "name",
  "created_at",
  "used_at",
] as const;
const OF_USER = defineStatement("passkeys-of-user", USER, (db, { userId }) =>
  db
    .selectFrom("host_passkeys")
    .select(COLUMNS)
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("credential_hash"),
);
const FIND = defineStatement("passkey-find", KEY, (db, { hash, userId }) =>
  db
    .selectFrom("host_passkeys")
    .select(COLUMNS)
    .where("credential_hash", "=", hash)
    .where("user_id", "=", userId),
);
const KNOWN = defineStatement("passkey-known", { hash: param.text(64) }, (db, { hash }) =>
  db.selectFrom("host_passkeys").select("credential_hash").where("credential_hash", "=", hash),
);
const INSERT = defineStatement(
  "passkey-insert",
  {
    ...KEY,
    credentialId: param.longText,
    rpId: param.text(255),
    publicKey: param.bytes,
    counter: param.whole,
    isBackedUp: param.flag,
    transports: param.longText,
    name: param.longText,
    createdAt: param.time,
    usedAt: param.optional(param.time),
  },
  (db, { hash, isBackedUp, ...row }) =>
    db
      .insertInto("host_passkeys")
      .values({ ...inColumns(row), credential_hash: hash, backed_up: isBackedUp }),
);
const USED = defineStatement(
  "passkey-used",
  { ...KEY, seen: param.whole, counter: param.whole, isBackedUp: param.flag, at: param.time },
  (db, { hash, userId, seen, counter, isBackedUp, at }) =>
    db
      .updateTable("host_passkeys")
      .set({ counter, backed_up: isBackedUp, used_at: at })
      .where("credential_hash", "=", hash)
      .where("user_id", "=", userId)
      .where("counter", "=", seen),
);
const REMOVE = defineStatement("passkey-remove", KEY, (db, { hash, userId }) =>
  db.deleteFrom("host_passkeys").where("credential_hash", "=", hash).where("user_id", "=", userId),
);

/** Passkeys of users. */
export function createPasskeys(queries: Queries, changes: Changes): Passkeys {
  return {
    list: async (userId) => (await queries.all(OF_USER, { userId })).map(recordOf),
    async find(key) {
      const row = await queries.one(FIND, keyOf(key));
      return row && recordOf(row);
    },
    add: (passkey, by) => addPasskey(changes, passkey, by),
    async used(key, { seenCounter, counter, isBackedUp, at }) {
      const use = { ...keyOf(key), seen: seenCounter, counter, isBackedUp, at };
      return (await queries.run(USED, use)) > 0;
    },
    remove: (key, by) => removePasskey(changes, key, by),
  };
}

function addPasskey(
  changes: Changes,
  passkey: PasskeyRecord,
  by: Caller,
): Promise<"added" | "taken" | "crowded"> {
  return changes.transaction(async (unit) => {
    const { userId, name } = passkey;
    const key = keyOf(passkey);
    if (await unit.queries.one(KNOWN, { hash: key.hash })) return "taken";
    if ((await unit.queries.all(OF_USER, { userId })).length >= PASSKEYS_MAX) return "crowded";
    const { usedAt } = passkey;
    const transports = JSON.stringify(passkey.transports);
    await unit.queries.run(INSERT, { ...passkey, ...key, usedAt, transports });
    await changes.event(unit, {
      type: "passkey.changed",
      subject: `user/${userId}`,
      caller: by,
      detail: { change: "added", name },
    });
    return "added";
  });
}

function removePasskey(
  changes: Changes,
  key: PasskeyKey,
  by: Caller,
): Promise<"removed" | "absent"> {
  return changes.transaction(async (unit) => {
    const row = await unit.queries.one(FIND, keyOf(key));
    if (!row || (await unit.queries.run(REMOVE, keyOf(key))) === 0) return "absent";
    await changes.event(unit, {
      type: "passkey.changed",
      subject: `user/${key.userId}`,
      caller: by,
      detail: { change: "removed", name: row.name },
    });
    return "removed";
  });
}

/** Ids of passkeys may be longer than an index allows. */
function keyOf({ credentialId, userId }: PasskeyKey) {
  return { hash: createHash("sha256").update(credentialId).digest("hex"), userId };
}

type PasskeyRow = Pick<Selectable<Tables["host_passkeys"]>, (typeof COLUMNS)[number]>;

function recordOf(row: PasskeyRow): PasskeyRecord {
  return {
    credentialId: row.credential_id,
    userId: row.user_id,
    rpId: row.rp_id,
    publicKey: row.public_key,
    counter: row.counter,
    isBackedUp: row.backed_up,
    transports: textList(row.transports),
    name: row.name,
    createdAt: row.created_at,
    ...(row.used_at && { usedAt: row.used_at }),
  };
}
