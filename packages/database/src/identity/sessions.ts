import type { Caller } from "@sealhouse/request-types";
import type {
  ConfirmationStore,
  SessionRecord,
  Sessions,
  SignInMethod,
  StoredSession,
} from "@sealhouse/identity";
import { ROLES, USER_STATES } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { createConfirmationStore } from "./confirmations.ts";
import { requireGoodCaller } from "./good-token.ts";
import { holdPeople } from "./owner-names.ts";
import { dropApprovedLogins } from "./login-sessions.ts";
import { RAISE_EPOCH } from "./people-rows.ts";
import { memberOf, secondFactorOf } from "./token-rows.ts";

const COLUMNS = [
  "host_sessions.hash",
  "host_sessions.previous_hash",
  "host_sessions.previous_ends_at",
  "host_sessions.user_id",
  "host_sessions.token_id",
  "host_sessions.epoch",
  "host_sessions.created_at",
  "host_sessions.rotated_at",
  "host_sessions.seen_at",
  "host_sessions.idle_ends_at",
  "host_sessions.ends_at",
  "host_sessions.address",
  "host_sessions.agent",
] as const;
const USER_COLUMNS = [
  "host_users.handle as user_handle",
  "host_users.display_name as user_display_name",
  "host_users.role as user_role",
  "host_users.state as user_state",
  "host_users.epoch as user_epoch",
  "host_users.second_factor as user_second_factor",
] as const;
const HASH = { hash: param.text(64) };
const USER = { userId: param.text(36) };
const BY_HASH = defineStatement("session-by-hash", HASH, (db, { hash }) =>
  db
    .selectFrom("host_sessions")
    .leftJoin("host_users", "host_users.id", "host_sessions.user_id")
    .select([...COLUMNS, ...USER_COLUMNS])
    .where((row) =>
      row.or([row("host_sessions.hash", "=", hash), row("host_sessions.previous_hash", "=", hash)]),
    ),
);
const OF_USER = defineStatement("sessions-of-user", USER, (db, { userId }) =>
  db
    .selectFrom("host_sessions")
    .select(COLUMNS)
    .where("user_id", "=", userId)
    .orderBy("seen_at", "desc")
    .orderBy("hash"),
);
const INSERT = defineStatement(
  "session-insert",
  {
    ...HASH,
    userId: param.optional(param.text(36)),
    tokenId: param.optional(param.text(36)),
    epoch: param.whole,
    createdAt: param.time,
    idleEndsAt: param.time,
    endsAt: param.time,
    seenAt: param.time,
    rotatedAt: param.time,
    address: param.optional(param.text(NAME_LENGTH.address)),
    agent: param.optional(param.longText),
  },
  (db, parameters) => db.insertInto("host_sessions").values(inColumns(parameters)),
);
const ROTATE = defineStatement(
  "session-rotate",
  {
    ...HASH,
    to: param.text(64),
    at: param.time,
    graceUntil: param.time,
  },
  (db, { hash, to, at, graceUntil }) =>
    db
      .updateTable("host_sessions")
      .set({ hash: to, previous_hash: hash, previous_ends_at: graceUntil, rotated_at: at })
      .where("hash", "=", hash),
);
/** Each session of the user gets a new secret at its next page. */
export const RENEW_OF_USER = defineStatement(
  "sessions-renew-of-user",
  { ...USER, due: param.time },
  (db, { userId, due }) =>
    db.updateTable("host_sessions").set({ rotated_at: due }).where("user_id", "=", userId),
);
const SEEN = defineStatement(
  "session-seen",
  { ...HASH, at: param.time, idleEndsAt: param.time },
  (db, { hash, at, idleEndsAt }) =>
    db
      .updateTable("host_sessions")
      .set({ seen_at: at, idle_ends_at: idleEndsAt })
      .where("hash", "=", hash),
);
const DROP = defineStatement("session-drop", HASH, (db, { hash }) =>
  db.deleteFrom("host_sessions").where("hash", "=", hash),
);
const DROP_OVER = defineStatement("sessions-drop-over", { at: param.time }, (db, { at }) =>
  db
    .deleteFrom("host_sessions")
    .where((row) => row.or([row("ends_at", "<=", at), row("idle_ends_at", "<=", at)])),
);
const DROP_OF_USER = defineStatement("sessions-drop-of-user", USER, (db, { userId }) =>
  db.deleteFrom("host_sessions").where("user_id", "=", userId),
);
const HANDLE = defineStatement("session-user-handle", USER, (db, { userId }) =>
  db.selectFrom("host_users").select("handle").where("id", "=", userId),
);

/** Sessions, and the forms that wait for their confirmation. */
export function createSessions(
  queries: Queries,
  changes: Changes,
): Sessions & { readonly confirmations: ConfirmationStore } {
  return {
    open: (session, sign) => open(changes, session, sign),
    async find(hash) {
      const row = await queries.one(BY_HASH, { hash });
      return row && storedOf(row);
    },
    rotate: async (hash, { to, at, graceUntil }) =>
      (await queries.run(ROTATE, { hash, to, at, graceUntil })) > 0,
    async seen(hash, use) {
      await queries.run(SEEN, { hash, ...use });
    },
    end: (hash, by) =>
      changes.transaction(async (unit) => {
        const row = await unit.queries.one(BY_HASH, { hash });
        if (!row || (await unit.queries.run(DROP, { hash: row.hash })) === 0) return false;
        const subject = await subjectOf(unit, recordOf(row));
        await changes.event(unit, { type: "user.signed-out", subject, caller: by });
        return true;
      }),
    ofUser: async (userId) => (await queries.all(OF_USER, { userId })).map(recordOf),
    async endAll(userId, by) {
      await changes.transaction(async (unit) => {
        // People may always end their own sessions, and these end this caller's, too.
        if (by.holderId !== userId) {
          await holdPeople(changes, unit);
          await requireGoodCaller(unit.queries, by, changes.now());
        }
        await unit.queries.run(RAISE_EPOCH, { id: userId });
        await unit.queries.run(DROP_OF_USER, { userId });
        await dropApprovedLogins(unit, { userId });
        const subject = await subjectOf(unit, { userId });
        const detail = { everywhere: true };
        await changes.event(unit, { type: "user.signed-out", subject, caller: by, detail });
      });
    },
    confirmations: createConfirmationStore(queries),
  };
}

async function open(
  changes: Changes,
  session: SessionRecord,
  { by, method }: { readonly by: Caller; readonly method: SignInMethod },
): Promise<void> {
  const { userId, tokenId, address, agent } = session;
  await changes.transaction(async (unit) => {
    await unit.queries.run(DROP_OVER, { at: session.createdAt });
    await unit.queries.run(INSERT, {
      ...session,
      userId,
      tokenId,
      address,
      agent: agent === undefined ? undefined : storableText(agent),
    });
    // The arrival from a provider has its own event.
    if (method !== "token" && method !== "link") return;
    const subject = await subjectOf(unit, session);
    const detail = { method };
    await changes.event(unit, { type: "user.signed-in", subject, caller: by, detail });
  });
}

type SessionRow = RowOf<typeof OF_USER>;

async function subjectOf(
  { queries }: Unit,
  { userId, tokenId }: Pick<SessionRecord, "userId" | "tokenId">,
): Promise<string> {
  if (userId === undefined) return `token/${tokenId ?? ""}`;
  const row = await queries.one(HANDLE, { userId });
  return `user/${row?.handle ?? userId}`;
}

function recordOf(row: SessionRow): SessionRecord {
  const { previous_hash: previousHash, previous_ends_at: previousEndsAt } = row;
  const { user_id: userId, token_id: tokenId, address, agent } = row;
  return {
    hash: row.hash,
    ...(previousHash !== null && { previousHash }),
    ...(previousEndsAt && { previousEndsAt }),
    ...(userId !== null && { userId }),
    ...(tokenId !== null && { tokenId }),
    epoch: row.epoch,
    createdAt: row.created_at,
    rotatedAt: row.rotated_at,
    seenAt: row.seen_at,
    idleEndsAt: row.idle_ends_at,
    endsAt: row.ends_at,
    ...(address !== null && { address }),
    ...(agent !== null && { agent }),
  };
}

function storedOf(row: RowOf<typeof BY_HASH>): StoredSession {
  const { user_id: id, user_handle: handle, user_epoch: epoch } = row;
  if (id === null || handle === null || epoch === null) return recordOf(row);
  return {
    ...recordOf(row),
    user: {
      id,
      handle,
      displayName: row.user_display_name ?? handle,
      role: memberOf("role", row.user_role ?? "", ROLES),
      state: memberOf("state", row.user_state ?? "", USER_STATES),
      epoch,
      ...secondFactorOf(row.user_second_factor),
    },
  };
}
