import { randomBytes } from "node:crypto";
import type { Database } from "@sealhouse/database";
import {
  createToken,
  LOGIN_WAITS_MS,
  parseExpiry,
  parseLoginCode,
  parseNetworks,
  parsePatterns,
  parseProtocols,
  parseScopes,
} from "@sealhouse/identity";
import type { GrantedToken, LoginDecision, LoginPurpose, LoginSession } from "@sealhouse/identity";
import { operator } from "../operator.ts";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { findHolderNamed } from "../users/token-holder.ts";
import { openRows } from "../open-feed.ts";

export type LoginOptions = {
  readonly name: string;
  readonly scopes: string;
  readonly expires: string;
  readonly protocols: string;
  readonly patterns: string;
  readonly networks: string;
  readonly json?: true;
  /** Allows a token of the operators where people sign in at an identity provider. */
  readonly operator?: boolean;
};

type Json = { readonly json?: boolean };

/** The token is created when the client collects it, and shown to no other client. */
export async function approveLogin(
  command: Command,
  code: string,
  options: LoginOptions,
): Promise<number> {
  const now = new Date();
  const requested = grantedBy(options, now);
  await using database = await openRows(command);
  const holder = await findHolderNamed(database, requested.owner, requested.scopes);
  const isOfOperators = holder.owner === undefined;
  const hasProvider = command.load().config.signIn !== undefined;
  if (isOfOperators && hasProvider && options.operator !== true) {
    throw operatorToken(requested.owner);
  }
  const token = { ...requested, ...holder };
  const decision = { status: "agreed", grant: { by: operator(), token }, until: end(now) } as const;
  const session = await decide(database, { code, purpose: "login", decision, now });
  if (isOfOperators) command.stderr(`${noHolder(token.owner)}, so the ${OPERATOR_RIGHTS}.`);
  if (options.json) {
    const { owner: name, scopes, patterns, networks } = token;
    const expiresAt = token.expiresAt?.toISOString();
    const shownToken = { name, scopes, patterns, networks, expiresAt };
    command.stdout(JSON.stringify({ code, ...shownToken, ...askedFrom(session) }));
    return 0;
  }
  const until = token.expiresAt ? `until ${token.expiresAt.toISOString()}` : "without expiry";
  const scopes = token.scopes.join(", ");
  command.stderr(`Approved: ${clientOf(session)} signs in as ${token.owner} (${scopes}) ${until}.`);
  return 0;
}

const OPERATOR_RIGHTS =
  "token has the rights of the operators: all names within its limits, also those of owners";

function noHolder(name: string): string {
  return `${name} is no user or service account`;
}

function operatorToken(name: string): CommandError {
  return new CommandError(
    `${noHolder(name)}. Without one, the ${OPERATOR_RIGHTS}. To make such a token, add ` +
      "--operator. To see the users: sealhouse user list",
  );
}

export async function confirmAction(
  command: Command,
  code: string,
  { json }: Json,
): Promise<number> {
  const now = new Date();
  const decision = { status: "agreed", grant: { by: operator() }, until: end(now) } as const;
  const request = { code, purpose: "confirm", decision, now } as const;
  await using database = await openRows(command);
  const session = await decide(database, request);
  const { subject = "" } = session;
  if (json === true) {
    command.stdout(JSON.stringify({ code, subject, ...askedFrom(session) }));
    return 0;
  }
  const { address, askedAt } = askedFrom(session);
  const from = address === undefined ? "" : ` from ${address}`;
  command.stderr(
    `Confirmed: ${subject}, asked for${from} at ${askedAt}. ` +
      "The one-time password is the code itself, once.",
  );
  return 0;
}

export async function denyLogin(command: Command, code: string, { json }: Json): Promise<number> {
  const decision = { status: "denied", by: operator() } as const;
  await using database = await openRows(command);
  const session = await decide(database, { code, decision, now: new Date() });
  const { purpose, subject } = session;
  if (json === true) {
    command.stdout(JSON.stringify({ code, purpose, subject, ...askedFrom(session) }));
    return 0;
  }
  const what = subject === undefined ? "" : ` for ${subject}`;
  command.stderr(`${clientOf(session)}${what} is refused.`);
  return 0;
}

type Deciding = {
  readonly code: string;
  /** Absent: whatever it is. */
  readonly purpose?: LoginPurpose;
  readonly decision: LoginDecision;
  readonly now: Date;
};

async function decide(
  database: Database,
  { code: typed, purpose, decision, now }: Deciding,
): Promise<LoginSession> {
  const code = parseLoginCode(typed);
  if (code === undefined)
    throw new CommandError(`${typed} is not a sign-in code. Codes look like BCDF-2345.`);
  const session = await database.loginSessions.findByCode(code);
  if (!session)
    throw new CommandError(`No sign-in waits with the code ${code}; it may have expired.`);
  if (purpose !== undefined && session.purpose !== purpose) throw otherPurpose(session);
  const outcome = await database.loginSessions.decide(code, decision, now);
  if (outcome !== "decided") {
    throw new CommandError(`${code} was decided on before, or its time is over.`);
  }
  return session;
}

function otherPurpose({ code, purpose }: LoginSession): CommandError {
  const other = purpose === "login" ? `login ${code} --name <name>` : `confirm ${code}`;
  return new CommandError(`${code} is for something else: sealhouse npm ${other}`);
}

function grantedBy(options: LoginOptions, now: Date): GrantedToken {
  const expiresAt = parseExpiry(options.expires, now);
  const tokenRequest = {
    name: options.name,
    scopes: parseScopes(options.scopes),
    protocols: parseProtocols(options.protocols),
    patterns: parsePatterns(options.patterns),
    networks: parseNetworks(options.networks),
    ...(expiresAt && { expiresAt }),
  };
  // Throws what is wrong with it now, rather than when the client comes for it.
  const { record } = createToken(tokenRequest, { pepper: "", now, random: randomBytes });
  return { ...tokenRequest, owner: record.name, name: "npm login" };
}

function end(now: Date): Date {
  return new Date(now.getTime() + LOGIN_WAITS_MS);
}

function askedFrom({ address, createdAt }: LoginSession) {
  return { address, askedAt: createdAt.toISOString() };
}

function clientOf(session: LoginSession): string {
  const { address, askedAt } = askedFrom(session);
  return `the client${address === undefined ? "" : ` at ${address}`} that asked at ${askedAt}`;
}
