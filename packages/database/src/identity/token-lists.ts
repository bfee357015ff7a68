import { ownerOf } from "@sealhouse/identity";
import type { TokenLists, TokenPage, TokenRecord } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import { isLike } from "../statements/like.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { HOLDER_COLUMNS, OWN_COLUMNS, recordOf } from "./token-rows.ts";

const KINDS = {
  owner: param.optional(param.text(NAME_LENGTH.actor)),
  userId: param.optional(param.text(36)),
  accountId: param.optional(param.text(36)),
  now: param.time,
  until: param.optional(param.time),
  afterAt: param.optional(param.time),
  afterId: param.optional(param.text(36)),
  limit: param.whole,
};
type PageStatement = ReturnType<typeof declared>;

const statements = new Map<string, PageStatement>();

/** The statement with the conditions of a page, so that each can use its index. */
function pageStatement(page: TokenPage): PageStatement {
  const { owner, userId, serviceAccountId, expiresUntil, after } = page;
  const optional = [owner, userId, serviceAccountId, expiresUntil, after];
  const flags = [...optional.map((one) => one !== undefined), page.isUnused, page.isLeaked];
  const letters = flags.map((has) => (has ? "1" : "0")).join("");
  const name = `token-page-${page.state ?? "any"}-${letters}`;
  const statement = statements.get(name) ?? declared(name, page);
  statements.set(name, statement);
  return statement;
}

function declared(name: string, page: TokenPage) {
  const { owner, userId, serviceAccountId, state, expiresUntil, after } = page;
  return defineStatement(name, KINDS, (db, values, own) => {
    const query = db
      .selectFrom("host_tokens")
      .leftJoin("host_users", "host_users.id", "user_id")
      .leftJoin("host_service_accounts", "host_service_accounts.id", "service_account_id")
      .select([...OWN_COLUMNS, ...HOLDER_COLUMNS])
      .$if(owner !== undefined, (some) =>
        // Names are long text, which not every database can compare. Few tokens have no owner.
        some.where((t) => t.or([t("owner", "=", values.owner), t("owner", "is", null)])),
      )
      .$if(userId !== undefined, (some) => some.where("user_id", "=", values.userId))
      .$if(serviceAccountId !== undefined, (some) =>
        some.where("service_account_id", "=", values.accountId),
      )
      .$if(state === "revoked", (some) => some.where("revoked_at", "is not", null))
      .$if(state === "active" || state === "expired", (some) =>
        some.where("revoked_at", "is", null),
      )
      .$if(state === "expired", (some) => some.where("expires_at", "<=", values.now))
      .$if(state === "active", (some) =>
        some.where((t) => t.or([t("expires_at", "is", null), t("expires_at", ">", values.now)])),
      )
      .$if(expiresUntil !== undefined, (some) =>
        some.where("expires_at", ">", values.now).where("expires_at", "<=", values.until),
      )
      .$if(page.isUnused === true, (some) => some.where("last_used_at", "is", null))
      .$if(page.isLeaked === true, (some) => some.where("leaked_at", "is not", null))
      .$if(after !== undefined, (some) =>
        some
          .where("host_tokens.created_at", ">=", values.afterAt)
          .where((t) =>
            t.or([
              t("host_tokens.created_at", ">", values.afterAt),
              t("host_tokens.id", ">", values.afterId),
            ]),
          ),
      );
    return own.limit(
      query.orderBy("host_tokens.created_at").orderBy("host_tokens.id"),
      values.limit,
    );
  });
}

const BY_ID_PART = defineStatement(
  "tokens-by-id-part",
  { pattern: param.text(37), limit: param.whole },
  (db, { pattern, limit }, own) =>
    own.limit(
      db
        .selectFrom("host_tokens")
        .leftJoin("host_users", "host_users.id", "user_id")
        .leftJoin("host_service_accounts", "host_service_accounts.id", "service_account_id")
        .select([...OWN_COLUMNS, ...HOLDER_COLUMNS])
        .where((token) => isLike(token.ref("host_tokens.id"), pattern))
        .orderBy("host_tokens.id"),
      limit,
    ),
);
const CHILDREN = defineStatement(
  "tokens-of-parents",
  { parents: param.texts },
  (db, { parents }, own) =>
    db
      .selectFrom("host_tokens")
      .leftJoin("host_users", "host_users.id", "user_id")
      .leftJoin("host_service_accounts", "host_service_accounts.id", "service_account_id")
      .select([...OWN_COLUMNS, ...HOLDER_COLUMNS])
      .where("parent_id", "in", own.textsIn(parents))
      .orderBy("host_tokens.created_at")
      .orderBy("host_tokens.id"),
);

/** The beginning of an id, as the database stores it. */
const ID_PART = /^[0-9a-f-]{1,36}$/;

export function createTokenLists(queries: Queries): TokenLists {
  return {
    page: (page) => pageOf(queries, page),
    async startingWith(part) {
      if (!ID_PART.test(part)) return [];
      return (await queries.all(BY_ID_PART, { pattern: `${part}%`, limit: 2 })).map(recordOf);
    },
    async madeWith(id) {
      const found: TokenRecord[] = [];
      for (let parents = [id]; parents.length > 0;) {
        const children = (await queries.all(CHILDREN, { parents })).map(recordOf);
        found.push(...children);
        parents = children.map((child) => child.id);
      }
      return found;
    },
  };
}

async function pageOf(queries: Queries, page: TokenPage): Promise<readonly TokenRecord[]> {
  const { owner, userId, serviceAccountId: accountId, now, expiresUntil: until, limit } = page;
  const found: TokenRecord[] = [];
  for (let { after } = page; found.length < limit;) {
    const values = { owner, userId, accountId, now, until, limit };
    const position = { afterAt: after?.createdAt, afterId: after?.id };
    const rows = await queries.all(pageStatement({ ...page, after }), { ...values, ...position });
    const records = rows.map(recordOf);
    found.push(...records.filter((one) => owner === undefined || ownerOf(one) === owner));
    after = records.at(-1);
    if (records.length < limit) break;
  }
  return found.slice(0, limit);
}
