import { PROTOCOLS, SCOPES } from "@sealhouse/identity";
import type { GrantedToken, LoginGrant, LoginSession, LoginSessions } from "@sealhouse/identity";
import { UnexpectedRowError } from "../errors.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { optionalTextOf, optionalTimeOf, textOf, timeOf } from "../raw/row.ts";

const COLUMNS = `poll_hash, code, purpose, subject, address, created_at, expires_at, granted,
  denied_at`;
const BY_POLL_HASH: Statement = {
  name: "login-session-by-poll-hash",
  sql: `select ${COLUMNS} from host_login_sessions where poll_hash = ?`,
};
const BY_CODE: Statement = {
  name: "login-session-by-code",
  sql: `select ${COLUMNS} from host_login_sessions where code = ?`,
};

export function createLoginSessionLookup(
  port: QueryPort,
): Pick<LoginSessions, "findByPollHash" | "findByCode"> {
  const find = async (statement: Statement, key: string) => {
    const row = await port.one(statement, [key]);
    return row && sessionOf(row);
  };
  return {
    findByPollHash: (pollHash) => find(BY_POLL_HASH, pollHash),
    findByCode: (code) => find(BY_CODE, code),
  };
}

function sessionOf(row: Row): LoginSession {
  const purpose = textOf(row, "purpose");
  if (purpose !== "login" && purpose !== "confirm")
    throw new UnexpectedRowError("purpose", purpose);
  const subject = optionalTextOf(row, "subject");
  const address = optionalTextOf(row, "address");
  const granted = optionalTextOf(row, "granted");
  const deniedAt = optionalTimeOf(row, "denied_at");
  return {
    pollHash: textOf(row, "poll_hash"),
    code: textOf(row, "code"),
    purpose,
    ...(subject !== undefined && { subject }),
    ...(address !== undefined && { address }),
    createdAt: timeOf(row, "created_at"),
    expiresAt: timeOf(row, "expires_at"),
    ...(granted !== undefined && { grant: grantOf(granted) }),
    ...(deniedAt && { deniedAt }),
  };
}

type Stored = Omit<LoginGrant, "token"> & {
  readonly token?: Omit<GrantedToken, "expiresAt"> & { readonly expiresAt?: string };
};

/** As `login-session-changes.ts` wrote it. An unknown word never widens what is granted. */
function grantOf(text: string): LoginGrant {
  const { by, token } = JSON.parse(text) as Stored;
  if (!token) return { by };
  const { scopes, protocols, expiresAt, ...rest } = token;
  const known = {
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    protocols: PROTOCOLS.filter((protocol) => protocols.includes(protocol)),
  };
  if (known.scopes.length < scopes.length || known.protocols.length < protocols.length) {
    throw new UnexpectedRowError("granted", text);
  }
  return { by, token: { ...rest, ...known, ...(expiresAt && { expiresAt: new Date(expiresAt) }) } };
}
