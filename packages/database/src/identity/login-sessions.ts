import { PROTOCOLS, SCOPES } from "@sealhouse/identity";
import type {
  GrantedToken,
  LoginDecision,
  LoginGrant,
  LoginSession,
  LoginSessions,
} from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { UnexpectedRowError } from "../errors.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

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
const DROP_EXPIRED = defineStatement(
  "login-sessions-drop-expired",
  { at: param.time },
  (db, { at }) => db.deleteFrom("host_login_sessions").where("expires_at", "<=", at),
);
const INSERT = defineStatement(
  "login-session-insert",
  {
    pollHash: param.text(64),
    code: param.text(32),
    purpose: param.text(32),
    subject: param.optional(param.longText),
    address: param.optional(param.text(NAME_LENGTH.address)),
    createdAt: param.time,
    expiresAt: param.time,
  },
  (db, parameters) => db.insertInto("host_login_sessions").values(inColumns(parameters)),
);
const TAKE = defineStatement(
  "login-session-take",
  { pollHash: param.text(64) },
  (db, { pollHash }) => db.deleteFrom("host_login_sessions").where("poll_hash", "=", pollHash),
);
const CODE = { code: param.text(32) };
const APPROVE = defineStatement(
  "login-session-approve",
  { ...CODE, at: param.time, granted: param.longText, until: param.time },
  (db, { code, at, granted, until }) =>
    db
      .updateTable("host_login_sessions")
      .set({ granted, expires_at: until })
      .where("code", "=", code)
      .where("granted", "is", null)
      .where("denied_at", "is", null)
      .where("expires_at", ">", at),
);
const DENY = defineStatement(
  "login-session-deny",
  { ...CODE, at: param.time },
  (db, { code, at }) =>
    db
      .updateTable("host_login_sessions")
      .set({ denied_at: at })
      .where("code", "=", code)
      .where("granted", "is", null)
      .where("denied_at", "is", null)
      .where("expires_at", ">", at),
);
const EXISTS = defineStatement("login-session-exists", CODE, (db, { code }) =>
  db.selectFrom("host_login_sessions").select("code").where("code", "=", code),
);

/** `holder`: the holder's field in the JSON of an approval. */
const DROP_APPROVED = defineStatement(
  "login-sessions-drop-approved",
  { holder: param.text(128) },
  (db, { holder }) => db.deleteFrom("host_login_sessions").where("granted", "like", holder),
);

/** Ends the approved sign-ins of a user or service account whose clients have no token yet. */
export async function dropApprovedLogins(
  { queries }: Pick<Unit, "queries">,
  holder: { readonly userId: string } | { readonly serviceAccountId: string },
): Promise<void> {
  // `{"userId":"…"}` without its braces. Ids are UUIDs, so they have no wildcard.
  await queries.run(DROP_APPROVED, { holder: `%${JSON.stringify(holder).slice(1, -1)}%` });
}

export function createLoginSessions(queries: Queries, changes: Changes): LoginSessions {
  return {
    async findByPollHash(pollHash) {
      const row = await queries.one(BY_POLL_HASH, { pollHash });
      return row && sessionOf(row);
    },
    async findByCode(code) {
      const row = await queries.one(BY_CODE, { code });
      return row && sessionOf(row);
    },
    insert: (session) => insert(changes, session),
    decide: (code, decision, time) => decide(changes, { code, decision, at: time }),
    take: (pollHash) =>
      changes.transaction(async (unit) => (await unit.queries.run(TAKE, { pollHash })) > 0),
  };
}

function insert(changes: Changes, session: LoginSession): Promise<void> {
  return changes.transaction(async ({ queries }) => {
    const { pollHash, code, purpose, subject, address, createdAt, expiresAt } = session;
    await queries.run(DROP_EXPIRED, { at: createdAt });
    await queries.run(INSERT, {
      pollHash,
      code,
      purpose,
      subject: subject === undefined ? undefined : storableText(subject),
      address,
      createdAt,
      expiresAt,
    });
  });
}

type Deciding = {
  readonly code: string;
  readonly decision: LoginDecision;
  readonly at: Date;
};

function decide(
  changes: Changes,
  { code, decision, at }: Deciding,
): Promise<"decided" | "absent" | "ended"> {
  return changes.transaction(async (unit) => {
    const { queries } = unit;
    const agreed = decision.status === "agreed";
    const decided = agreed
      ? queries.run(APPROVE, {
          code,
          at,
          granted: grantText(decision.grant),
          until: decision.until,
        })
      : queries.run(DENY, { code, at });
    if ((await decided) === 0) {
      return (await queries.one(EXISTS, { code })) ? "ended" : "absent";
    }
    const owner = agreed ? decision.grant.token?.owner : undefined;
    await changes.event(unit, {
      type: agreed ? "user.signed-in" : "user.refused",
      subject: `login/${code}`,
      caller: agreed ? decision.grant.by : decision.by,
      ...(owner !== undefined && { detail: { owner } }),
    });
    return "decided";
  });
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

/** The session of the approval may have ended when the client fetches its token. */
function grantText({ by: asker, ...grant }: LoginGrant): string {
  const { sessionHash: _, ...by } = asker;
  return JSON.stringify({ by, ...grant });
}

/** Parses what `decide` stored. An unknown value never extends the grant. */
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
