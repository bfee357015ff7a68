import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { dropApprovedLogins } from "./login-sessions.ts";
import { RAISE_EPOCH, USER_ID } from "./people-rows.ts";

const DROP_SESSIONS = defineStatement("user-sessions-drop", USER_ID, (db, { id }) =>
  db.deleteFrom("host_sessions").where("user_id", "=", id),
);
const TOKENS_OF_USER = defineStatement("tokens-of-user", USER_ID, (db, { id }) =>
  db.selectFrom("host_tokens").select("id").where("user_id", "=", id),
);
const TOKENS_OF_ACCOUNT = defineStatement(
  "tokens-of-account",
  { id: param.text(36) },
  (db, { id }) => db.selectFrom("host_tokens").select("id").where("service_account_id", "=", id),
);
const DROP_REFRESH_TOKENS = defineStatement(
  "refresh-tokens-drop-of",
  { tokenIds: param.texts },
  (db, { tokenIds }, own) =>
    own.byList(db.deleteFrom("host_refresh_tokens").where("token_id", "in", own.textsIn(tokenIds))),
);

/** Ends sessions, approved sign-ins and refresh tokens of a user. Tokens stop by its state. */
export async function endAccess({ queries }: Unit, id: string): Promise<void> {
  await queries.run(RAISE_EPOCH, { id });
  await queries.run(DROP_SESSIONS, { id });
  await dropApprovedLogins({ queries }, { userId: id });
  await dropRefreshTokens({ queries }, await queries.all(TOKENS_OF_USER, { id }));
}

/** Ends the approved sign-ins and refresh tokens of a service account. */
export async function endAccountAccess({ queries }: Unit, id: string): Promise<void> {
  await dropApprovedLogins({ queries }, { serviceAccountId: id });
  await dropRefreshTokens({ queries }, await queries.all(TOKENS_OF_ACCOUNT, { id }));
}

async function dropRefreshTokens(
  { queries }: Pick<Unit, "queries">,
  tokens: readonly { readonly id: string }[],
): Promise<void> {
  if (tokens.length === 0) return;
  await queries.run(DROP_REFRESH_TOKENS, { tokenIds: tokens.map(({ id }) => id) });
}
