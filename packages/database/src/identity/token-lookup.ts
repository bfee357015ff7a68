import type { Protocol } from "@sealhouse/request-types";
import { ownerOf, SCOPES } from "@sealhouse/identity";
import type { TokenAdministration, TokenLookup, TokenRecord, TokenUse } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { UnexpectedRowError } from "../errors.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";
import { textList } from "../statements/text-list.ts";

const COLUMNS = [
  "id",
  "name",
  "owner",
  "parent_id",
  "prefix",
  "hash",
  "scheme",
  "scopes",
  "protocols",
  "patterns",
  "networks",
  "created_at",
  "expires_at",
  "revoked_at",
  "last_used_at",
  "last_used_from",
] as const;
const BY_PREFIX = defineStatement(
  "token-by-prefix",
  { prefix: param.text(16) },
  (db, { prefix }) => db.selectFrom("host_tokens").select(COLUMNS).where("prefix", "=", prefix),
  { recall: "rows" },
);
const BY_ID = defineStatement(
  "token-by-id",
  { id: param.text(36) },
  (db, { id }) => db.selectFrom("host_tokens").select(COLUMNS).where("id", "=", id),
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
  { id: param.text(36), at: param.time, from: param.optional(param.text(NAME_LENGTH.address)) },
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
  { id: param.text(36), hash: param.text(64), scheme: param.whole },
  (db, { id, hash, scheme }) =>
    db.updateTable("host_tokens").set({ hash, scheme }).where("id", "=", id),
);

type TokenRow = RowOf<typeof BY_ID>;

/** Everything about tokens that needs no transaction. */
export function createTokenLookup(
  queries: Queries,
): TokenLookup & TokenUse & Pick<TokenAdministration, "list" | "listNamed"> {
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
  };
}

const PROTOCOLS: readonly Protocol[] = ["nuget", "npm", "oci"];

function recordOf(row: TokenRow): TokenRecord {
  return {
    id: row.id,
    name: row.name,
    ...(row.owner !== null && { owner: row.owner }),
    ...(row.parent_id !== null && { parentId: row.parent_id }),
    prefix: row.prefix,
    hash: row.hash,
    scheme: row.scheme,
    scopes: membersOf("scopes", row.scopes, SCOPES),
    protocols: membersOf("protocols", row.protocols, PROTOCOLS),
    patterns: textList(row.patterns),
    networks: textList(row.networks),
    createdAt: row.created_at,
    ...(row.expires_at && { expiresAt: row.expires_at }),
    ...(row.revoked_at && { revokedAt: row.revoked_at }),
    ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
    ...(row.last_used_from !== null && { lastUsedFrom: row.last_used_from }),
  };
}

/** An unknown word never widens what a token may do, so it is an error and not left out. */
function membersOf<T extends string>(
  column: string,
  json: string,
  knownNames: readonly T[],
): readonly T[] {
  return textList(json).map((text) => {
    const member = knownNames.find((name) => name === text);
    if (member === undefined) throw new UnexpectedRowError(column, text);
    return member;
  });
}
