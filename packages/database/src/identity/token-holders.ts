import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

const HOLDER = { name: param.text(64) };
const USER = defineStatement("token-user", HOLDER, (db, { name }) =>
  db.selectFrom("host_users").select(["id", "handle as name"]).where("handle", "=", name),
);
const SERVICE_ACCOUNT = defineStatement("token-service-account", HOLDER, (db, { name }) =>
  db.selectFrom("host_service_accounts").select(["id", "name"]).where("name", "=", name),
);
const USERS = defineStatement("token-users", {}, (db) =>
  db.selectFrom("host_users").select(["id", "handle as name"]),
);
const SERVICE_ACCOUNTS = defineStatement("token-service-accounts", {}, (db) =>
  db.selectFrom("host_service_accounts").select(["id", "name"]),
);
const EMAIL = defineStatement("token-email", { id: param.text(36) }, (db, { id }) =>
  db
    .selectFrom("host_tokens")
    .innerJoin("host_users", "host_users.id", "host_tokens.user_id")
    .select("host_users.email")
    .where("host_tokens.id", "=", id),
);
const EMAIL_OF_USER = defineStatement("user-email", { id: param.text(36) }, (db, { id }) =>
  db.selectFrom("host_users").select("email").where("id", "=", id),
);

/** Kind of a holder of tokens. */
export type TokenHolderKind = "user" | "service account";

/** A user or service account that tokens belong to. */
export type TokenHolder = {
  readonly kind: TokenHolderKind;
  /** UUID. */
  readonly id: string;
  /** Handle of a user, or name of a service account. */
  readonly name: string;
};

/** Users and service accounts, as the holders of tokens. */
export interface TokenHolders {
  find(kind: TokenHolderKind, name: string): Promise<TokenHolder | undefined>;
  list(): Promise<readonly TokenHolder[]>;
  /** Returns the mail address of the user of a token; undefined without a user or an address. */
  emailOf(tokenId: string): Promise<string | undefined>;
  /** Returns the mail address of a user; undefined without one. */
  emailOfUser(id: string): Promise<string | undefined>;
}

export function createTokenHolders(queries: Queries): TokenHolders {
  return {
    async find(kind, name) {
      const row = await queries.one(kind === "user" ? USER : SERVICE_ACCOUNT, { name });
      return row && { kind, ...row };
    },
    async list() {
      const users = await queries.all(USERS, {});
      const accounts = await queries.all(SERVICE_ACCOUNTS, {});
      return [
        ...users.map((row) => ({ kind: "user" as const, ...row })),
        ...accounts.map((row) => ({ kind: "service account" as const, ...row })),
      ];
    },
    async emailOf(tokenId) {
      return (await queries.one(EMAIL, { id: tokenId }))?.email ?? undefined;
    },
    async emailOfUser(id) {
      return (await queries.one(EMAIL_OF_USER, { id }))?.email ?? undefined;
    },
  };
}
