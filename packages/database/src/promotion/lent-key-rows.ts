import type { LentKeyRows, LentPlace } from "@sealhouse/promotion";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

const PLACE = { release: param.text(36), target: param.text(64), name: param.text(255) };

const FIND = defineStatement("lent-key-find", PLACE, (db, { release, target, name }) =>
  db
    .selectFrom("lent_keys")
    .where("release_id", "=", release)
    .where("target", "=", target)
    .where("name", "=", name)
    .select(["sealed", "expires_at"]),
);
const PUT = defineStatement(
  "lent-key-put",
  { ...PLACE, sealed: param.bytes, expiresAt: param.time },
  (_db, { release, target, name, sealed, expiresAt }, own) =>
    own.upsert("lent_keys", { release_id: release, target, name, sealed, expires_at: expiresAt }, [
      "release_id",
      "target",
      "name",
    ]),
);
const DROP = defineStatement("lent-key-drop", PLACE, (db, { release, target, name }) =>
  db
    .deleteFrom("lent_keys")
    .where("release_id", "=", release)
    .where("target", "=", target)
    .where("name", "=", name),
);
const DROP_EXPIRED = defineStatement("lent-keys-expired", { now: param.time }, (db, { now }) =>
  db.deleteFrom("lent_keys").where("expires_at", "<=", now),
);
/** Drops the keys of a release that ends. */
export const DROP_LENT = defineStatement(
  "lent-keys-of-release",
  { release: param.text(36) },
  (db, { release }) => db.deleteFrom("lent_keys").where("release_id", "=", release),
);

export function createLentKeyRows({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): LentKeyRows {
  return {
    async find(place) {
      const row = await queries.one(FIND, keyOf(place));
      if (!row) return undefined;
      if (row.expires_at > changes.now()) return { sealed: row.sealed, expiresAt: row.expires_at };
      await changes.transaction(async (unit) => {
        await unit.queries.run(DROP_EXPIRED, { now: changes.now() });
      });
      return undefined;
    },
    put: (place, key) =>
      changes.transaction(async (unit) => {
        await unit.queries.run(DROP_EXPIRED, { now: changes.now() });
        await unit.queries.run(PUT, { ...keyOf(place), ...key });
      }),
    drop: (place) =>
      changes.transaction(async (unit) => {
        await unit.queries.run(DROP, keyOf(place));
      }),
  };
}

/** Names of targets ignore letter case. */
function keyOf({ release, target, name }: LentPlace): LentPlace {
  return { release, target: target.toLowerCase(), name };
}
