import type { Protocol } from "@sealhouse/request-types";
import { ownerOf, SCOPES } from "@sealhouse/identity";
import type { TokenAdministration, TokenLookup, TokenRecord, TokenUse } from "@sealhouse/identity";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { UnexpectedRowError } from "../errors.ts";
import {
  numberOf,
  optionalTextOf,
  optionalTimeOf,
  textListOf,
  textOf,
  timeOf,
} from "../raw/row.ts";

const COLUMNS = `id, name, owner, parent_id, prefix, hash, scheme, scopes, protocols, patterns,
  networks, created_at, expires_at, revoked_at, last_used_at, last_used_from`;
const BY_PREFIX: Statement = {
  name: "token-by-prefix",
  sql: `select ${COLUMNS} from host_tokens where prefix = ?`,
  recall: "rows",
};
const BY_ID: Statement = {
  name: "token-by-id",
  sql: `select ${COLUMNS} from host_tokens where id = ?`,
  recall: "rows",
};
const LIST: Statement = {
  name: "tokens",
  sql: `select ${COLUMNS} from host_tokens order by created_at, id`,
};
/** Names are long text, which not every database compares for equality; there are few tokens that
 * stand for themselves. */
const OF_OWNER: Statement = {
  name: "tokens-of-owner",
  sql: `select ${COLUMNS} from host_tokens where owner = ? or owner is null
    order by created_at, id`,
};
const USED: Statement = {
  name: "token-used",
  sql: `update host_tokens set last_used_at = ?, last_used_from = coalesce(?, last_used_from)
    where id = ? and (last_used_at is null or last_used_at < ?)`,
};
const REHASH: Statement = {
  name: "token-rehash",
  sql: "update host_tokens set hash = ?, scheme = ? where id = ?",
};

/** Everything about tokens that needs no transaction. */
export function createTokenLookup(
  port: QueryPort,
): TokenLookup & TokenUse & Pick<TokenAdministration, "list" | "listNamed"> {
  /** Of rows that were recalled, which are the very same. */
  const known = new WeakMap<readonly Row[], readonly TokenRecord[]>();
  const recalled = async (statement: Statement, asked: string) => {
    const rows = await port.all(statement, [asked]);
    const records = known.get(rows) ?? rows.map(recordOf);
    known.set(rows, records);
    return records;
  };
  return {
    findByPrefix: (prefix) => recalled(BY_PREFIX, prefix),
    findById: async (id) => (await recalled(BY_ID, id))[0],
    list: async () => (await port.all(LIST, [])).map(recordOf),
    async listNamed(owner) {
      const records = (await port.all(OF_OWNER, [owner])).map(recordOf);
      return records.filter((record) => ownerOf(record) === owner);
    },
    async used(uses) {
      for (const { id, at, from } of uses) await port.run(USED, [at, from, id, at]);
    },
    async rehash(id, hash, scheme) {
      await port.run(REHASH, [hash, scheme, id]);
    },
  };
}

const PROTOCOLS: readonly Protocol[] = ["nuget", "npm", "oci"];

function recordOf(row: Row): TokenRecord {
  const owner = optionalTextOf(row, "owner");
  const parentId = optionalTextOf(row, "parent_id");
  const expiresAt = optionalTimeOf(row, "expires_at");
  const revokedAt = optionalTimeOf(row, "revoked_at");
  const lastUsedAt = optionalTimeOf(row, "last_used_at");
  const lastUsedFrom = optionalTextOf(row, "last_used_from");
  return {
    id: textOf(row, "id"),
    name: textOf(row, "name"),
    ...(owner !== undefined && { owner }),
    ...(parentId !== undefined && { parentId }),
    prefix: textOf(row, "prefix"),
    hash: textOf(row, "hash"),
    scheme: numberOf(row, "scheme"),
    scopes: membersOf(row, "scopes", SCOPES),
    protocols: membersOf(row, "protocols", PROTOCOLS),
    patterns: textListOf(row, "patterns"),
    networks: textListOf(row, "networks"),
    createdAt: timeOf(row, "created_at"),
    ...(expiresAt && { expiresAt }),
    ...(revokedAt && { revokedAt }),
    ...(lastUsedAt && { lastUsedAt }),
    ...(lastUsedFrom !== undefined && { lastUsedFrom }),
  };
}

/** An unknown word never widens what a token may do, so it is an error and not left out. */
function membersOf<T extends string>(row: Row, column: string, known: readonly T[]): readonly T[] {
  return textListOf(row, column).map((text) => {
    const member = known.find((one) => one === text);
    if (member === undefined) throw new UnexpectedRowError(column, text);
    return member;
  });
}
