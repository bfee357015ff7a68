import type { Caller } from "@sealhouse/request-types";
import { CHILDREN_MAX, ownerOf } from "@sealhouse/identity";
import type { TokenAdministration, TokenLookup, TokenRecord, TokenUse } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { COLUMNS, HOLDER_COLUMNS, OWN_COLUMNS, recordOf, tokensWithHolders } from "./token-rows.ts";
import type { TokenRow } from "./token-rows.ts";
import { requireGoodCaller } from "./good-token.ts";

const ID = { id: param.text(36) };
const BY_PREFIX = defineStatement(
  "token-by-prefix",
  { prefix: param.text(16) },
  (db, { prefix }) =>
    tokensWithHolders(db)
      .select([...OWN_COLUMNS, ...HOLDER_COLUMNS])
      .where("host_tokens.prefix", "=", prefix),
  { recall: "rows" },
);
const BY_ID = defineStatement(
  "token-by-id",
  ID,
  (db, { id }) =>
    tokensWithHolders(db)
      .select([...OWN_COLUMNS, ...HOLDER_COLUMNS])
      .where("host_tokens.id", "=", id),
  { recall: "rows" },
);
const LIST = defineStatement("tokens", {}, (db) =>
  db.selectFrom("host_tokens").select(COLUMNS).orderBy("created_at").orderBy("id"),
);
/** Names are long text, which not every database can compare. Few tokens have no owner. */
const OF_OWNER = defineStatement(
  "tokens-of-owner",
  { owner: param.text(NAME_LENGTH.actor) },
  (db, { owner }) =>
    db
      .selectFrom("host_tokens")
      .select(COLUMNS)
      .where((token) => token.or([token("owner", "=", owner), token("owner", "is", null)]))
      .orderBy("created_at")
      .orderBy("id"),
);
const USED = defineStatement(
  "token-used",
  { ...ID, at: param.time, from: param.optional(param.text(NAME_LENGTH.address)) },
  (db, { id, at, from }) =>
    db
      .updateTable("host_tokens")
      .set((token) => ({
        last_used_at: at,
        last_used_from: token.fn.coalesce(from, "last_used_from"),
      }))
      .where("id", "=", id)
      .where((token) =>
        token.or([token("last_used_at", "is", null), token("last_used_at", "<", at)]),
      ),
);
const REHASH = defineStatement(
  "token-rehash",
  { ...ID, hash: param.text(64), scheme: param.whole },
  (db, { id, hash, scheme }) =>
    db.updateTable("host_tokens").set({ hash, scheme }).where("id", "=", id),
);
const EXISTS = defineStatement("token-exists", ID, (db, { id }) =>
  db.selectFrom("host_tokens").select("id").where("id", "=", id),
);
const PARENT = defineStatement("token-parent", ID, (db, { id }) =>
  db.selectFrom("host_tokens").select("parent_id").where("id", "=", id),
);
/** Locks the row, so that the token is not revoked before the commit. */
const HOLD_UNREVOKED = defineStatement("token-hold-unrevoked", ID, (db, { id }, own) =>
  own.forUpdate(
    db.selectFrom("host_tokens").select("id").where("id", "=", id).where("revoked_at", "is", null),
  ),
);
const VALID_CHILDREN = defineStatement(
  "token-valid-children",
  { parentId: param.text(36), at: param.time },
  (db, { parentId, at }) =>
    db
      .selectFrom("host_tokens")
      .select("id")
      .where("parent_id", "=", parentId)
      .where("revoked_at", "is", null)
      .where((token) => token.or([token("expires_at", "is", null), token("expires_at", ">", at)])),
);
const INSERT = defineStatement(
  "token-insert",
  {
    ...ID,
    name: param.longText,
    owner: param.optional(param.text(NAME_LENGTH.actor)),
    parentId: param.optional(param.text(36)),
    prefix: param.text(16),
    hash: param.text(64),
    scheme: param.whole,
    scopes: param.longText,
    protocols: param.longText,
    patterns: param.longText,
    networks: param.longText,
    createdAt: param.time,
    expiresAt: param.optional(param.time),
    revokedAt: param.optional(param.time),
    lastUsedAt: param.optional(param.time),
    lastUsedFrom: param.optional(param.text(NAME_LENGTH.address)),
    userId: param.optional(param.text(36)),
    serviceAccountId: param.optional(param.text(36)),
    policyId: param.optional(param.text(36)),
    replaces: param.optional(param.text(36)),
  },
  (db, parameters) => db.insertInto("host_tokens").values(inColumns(parameters)),
);
const MOVE_CHILDREN = defineStatement(
  "token-move-children",
  { from: param.text(36), to: param.text(36) },
  (db, { from, to }) =>
    db.updateTable("host_tokens").set({ parent_id: to }).where("parent_id", "=", from),
);
const REVOKE = defineStatement("token-revoke", { ...ID, at: param.time }, (db, { id, at }) =>
  db
    .updateTable("host_tokens")
    .set({ revoked_at: at })
    .where("id", "=", id)
    .where("revoked_at", "is", null),
);
const DROP_REFRESH_TOKENS = defineStatement("refresh-tokens-drop", ID, (db, { id }) =>
  db.deleteFrom("host_refresh_tokens").where("token_id", "=", id),
);
/** Reads the latest rows; while one is locked, no further child is created. */
const HOLD_CHILDREN = defineStatement("token-hold-children", ID, (db, { id }, own) =>
  own.forUpdate(
    db.selectFrom("host_tokens").select(["id", "revoked_at"]).where("parent_id", "=", id),
  ),
);

export function createTokens(
  queries: Queries,
  changes: Changes,
): TokenLookup & TokenUse & TokenAdministration {
  /** Parsed results by cached rows, which are identical objects. */
  const recordsByRows = new WeakMap<readonly TokenRow[], readonly TokenRecord[]>();
  const parsed = (rows: readonly TokenRow[]) => {
    const records = recordsByRows.get(rows) ?? rows.map(recordOf);
    recordsByRows.set(rows, records);
    return records;
  };
  return {
    findByPrefix: async (prefix) => parsed(await queries.all(BY_PREFIX, { prefix })),
    findById: async (id) => parsed(await queries.all(BY_ID, { id }))[0],
    list: async () => (await queries.all(LIST, {})).map(recordOf),
    async listNamed(owner) {
      const records = (await queries.all(OF_OWNER, { owner })).map(recordOf);
      return records.filter((record) => ownerOf(record) === owner);
    },
    async used(uses) {
      for (const { id, at, from } of uses) await queries.run(USED, { id, at, from });
    },
    async rehash(id, hash, scheme) {
      await queries.run(REHASH, { id, hash, scheme });
    },
    insert: (token, by) => insertToken(changes, token, by),
    replace: (id, token, by) => replaceToken(changes, { id, token, by }),
    revoke: (id, time, by) => revokeToken(changes, { id, at: time, by }),
  };
}

/** Inserts the token with its event: one transaction over both contexts. */
function insertToken(
  changes: Changes,
  token: TokenRecord,
  by: Caller,
): Promise<"inserted" | "orphan" | "crowded"> {
  return changes.transaction(async (unit) => {
    const { id, parentId, createdAt } = token;
    await requireGoodSession(changes, unit, by);
    if (await unit.queries.one(EXISTS, { id })) {
      throw new Error(`A token with the id ${id} exists already.`);
    }
    if (parentId !== undefined) {
      // Who makes tokens with the same parent waits here.
      if (!(await holdUnrevoked(unit, parentId))) return "orphan";
      if (await isCrowded(unit, parentId, createdAt)) return "crowded";
    }
    await writeToken(changes, unit, { token, by });
    return "inserted";
  });
}

/** A token that makes another one is locked instead. */
async function requireGoodSession(
  changes: Changes,
  { queries }: Unit,
  { sessionHash }: Caller,
): Promise<void> {
  if (sessionHash === undefined) return;
  await requireGoodCaller(queries, { sessionHash }, changes.now());
}

/** Locks the parent before the token, like a revocation. */
function replaceToken(
  changes: Changes,
  { id, token, by }: { readonly id: string; readonly token: TokenRecord; readonly by: Caller },
): Promise<"replaced" | "absent" | "crowded"> {
  return changes.transaction(async (unit) => {
    await requireGoodSession(changes, unit, by);
    const row = await unit.queries.one(PARENT, { id });
    const parentId = row?.parent_id ?? undefined;
    if (parentId !== undefined && !(await holdUnrevoked(unit, parentId))) return "absent";
    if (!(await holdUnrevoked(unit, id))) return "absent";
    if (parentId !== undefined && (await isCrowded(unit, parentId, token.createdAt))) {
      return "crowded";
    }
    const { parentId: _, ...rest } = token;
    const replacement = { ...rest, ...(parentId !== undefined && { parentId }) };
    await writeToken(changes, unit, { token: replacement, by, more: { replaces: id } });
    await unit.queries.run(MOVE_CHILDREN, { from: id, to: token.id });
    const detail = { replacement: token.id };
    const subject = `token/${id}`;
    await changes.event(unit, { type: "token.replaced", subject, caller: by, detail });
    return "replaced";
  });
}

/** `more` is what else its event tells. */
export async function writeToken(
  changes: Changes,
  unit: Unit,
  { token, by, more }: WrittenToken,
): Promise<void> {
  const { id, owner, parentId, scopes, protocols, patterns, networks, expiresAt } = token;
  const { revokedAt, lastUsedAt, lastUsedFrom } = token;
  const { userId, serviceAccountId, policyId, replaces } = token;
  await unit.queries.run(INSERT, {
    ...token,
    name: storableText(token.name),
    owner: owner === undefined ? undefined : storableText(owner),
    parentId,
    expiresAt,
    revokedAt,
    lastUsedAt,
    lastUsedFrom,
    userId,
    serviceAccountId,
    policyId,
    replaces,
    scopes: JSON.stringify(scopes),
    protocols: JSON.stringify(protocols),
    patterns: JSON.stringify(patterns),
    networks: JSON.stringify(networks),
  });
  await changes.event(unit, {
    type: "token.created",
    subject: `token/${id}`,
    caller: by,
    detail: {
      name: token.name,
      ...(owner !== undefined && { owner }),
      ...(parentId !== undefined && { parentId }),
      scopes,
      protocols,
      patterns,
      networks,
      ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      ...more,
    },
  });
}

type WrittenToken = {
  readonly token: TokenRecord;
  readonly by: Caller;
  readonly more?: Readonly<Record<string, unknown>>;
};

async function holdUnrevoked({ queries }: Unit, id: string): Promise<boolean> {
  return (await queries.one(HOLD_UNREVOKED, { id })) !== undefined;
}

/** The parent must be locked, so that its children do not change. */
async function isCrowded({ queries }: Unit, parentId: string, time: Date): Promise<boolean> {
  return (await queries.all(VALID_CHILDREN, { parentId, at: time })).length >= CHILDREN_MAX;
}

type Revoking = {
  readonly id: string;
  readonly at: Date;
  readonly by: Caller;
};

function revokeToken(
  changes: Changes,
  revoking: Revoking,
): Promise<"revoked" | "unchanged" | "absent"> {
  const { id, by } = revoking;
  return changes.transaction(async (unit) => {
    // A token ends itself, and may have ended already. To end another one it must be good.
    if (by.tokenId !== id) await requireGoodCaller(unit.queries, by, changes.now());
    const revoked = await revokeOne(changes, unit, revoking);
    if (!revoked && !(await unit.queries.one(EXISTS, { id }))) return "absent";
    await revokeMadeWith(changes, unit, revoking);
    return revoked ? "revoked" : "unchanged";
  });
}

/** Revokes a token; false when it was already revoked. */
export async function revokeOne(
  changes: Changes,
  unit: Unit,
  { id, at, by }: Pick<Revoking, "id" | "at" | "by">,
): Promise<boolean> {
  if ((await unit.queries.run(REVOKE, { id, at })) === 0) return false;
  await unit.queries.run(DROP_REFRESH_TOKENS, { id });
  await changes.event(unit, { type: "token.revoked", subject: `token/${id}`, caller: by });
  return true;
}

/** Revokes all descendants, including those of already revoked tokens. */
export async function revokeMadeWith(
  changes: Changes,
  unit: Unit,
  revoking: Revoking,
): Promise<void> {
  const waiting = [revoking.id];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const { id, revoked_at } of await unit.queries.all(HOLD_CHILDREN, { id: parent })) {
      if (!revoked_at) await revokeOne(changes, unit, { ...revoking, id });
      waiting.push(id);
    }
  }
}
