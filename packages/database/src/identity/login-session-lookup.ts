import { PROTOCOLS, SCOPES } from "@sealhouse/identity";
import type { GrantedToken, LoginGrant, LoginSession, LoginSessions } from "@sealhouse/identity";
import { UnexpectedRowError } from "../errors.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";

const COLUMNS = [
  "poll_hash",
  "code",
  "purpose",
  "subject",
  "address",
  "created_at",
  "expires_at",
  "granted",
  "denied_at",
] as const;
const BY_POLL_HASH = defineStatement(
  "login-session-by-poll-hash",
  { pollHash: param.text(64) },
  (db, { pollHash }) =>
    db.selectFrom("host_login_sessions").select(COLUMNS).where("poll_hash", "=", pollHash),
);
const BY_CODE = defineStatement("login-session-by-code", { code: param.text(32) }, (db, { code }) =>
  db.selectFrom("host_login_sessions").select(COLUMNS).where("code", "=", code),
);

export function createLoginSessionLookup(
  queries: Queries,
): Pick<LoginSessions, "findByPollHash" | "findByCode"> {
  return {
    async findByPollHash(pollHash) {
      const row = await queries.one(BY_POLL_HASH, { pollHash });
      return row && sessionOf(row);
    },
    async findByCode(code) {
      const row = await queries.one(BY_CODE, { code });
      return row && sessionOf(row);
    },
  };
}

function sessionOf(row: RowOf<typeof BY_CODE>): LoginSession {
  const { purpose, subject, address, granted, denied_at: deniedAt } = row;
  if (purpose !== "login" && purpose !== "confirm")
    throw new UnexpectedRowError("purpose", purpose);
  return {
    pollHash: row.poll_hash,
    code: row.code,
    purpose,
    ...(subject !== null && { subject }),
    ...(address !== null && { address }),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(granted !== null && { grant: grantOf(granted) }),
    ...(deniedAt && { deniedAt }),
  };
}

type Stored = Omit<LoginGrant, "token"> & {
  readonly token?: Omit<GrantedToken, "expiresAt"> & { readonly expiresAt?: string };
};

/** Parses the text of `login-session-changes.ts`. An unknown value never extends the grant. */
function grantOf(text: string): LoginGrant {
  const { by, token } = JSON.parse(text) as Stored;
  if (!token) return { by };
  const { scopes, protocols, expiresAt, ...rest } = token;
  const knownLimits = {
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    protocols: PROTOCOLS.filter((protocol) => protocols.includes(protocol)),
  };
  if (
    knownLimits.scopes.length < scopes.length ||
    knownLimits.protocols.length < protocols.length
  ) {
    throw new UnexpectedRowError("granted", text);
  }
  return {
    by,
    token: { ...rest, ...knownLimits, ...(expiresAt && { expiresAt: new Date(expiresAt) }) },
  };
}
