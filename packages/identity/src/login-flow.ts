import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { TokenMaking } from "./create-token.ts";
import { createToken } from "./create-token.ts";
import { makeLoginCode, parseLoginCode } from "./login-code.ts";
import type { LoginPurpose, LoginSession, LoginSessions } from "./login-sessions.ts";
import type { TokenAdministration, TokenLookup } from "./ports.ts";

/** How long somebody has to agree, and then again the client to come for it. */
export const LOGIN_WAITS_MS = 10 * 60_000;
/** Waiting sessions of one purpose: so one network cannot use up what all share. */
const MOST = { ofNetwork: 20, ofAll: 1_000 };
const SECRET = /^[\w-]{43}$/;
/** How many bytes the making of a token asks for: 32 for its secret, 16 for its id. */
const DERIVED_MAX = 32;

export type LoginFlowOptions = Pick<TokenMaking, "pepper" | "random"> & {
  readonly sessions: LoginSessions;
  readonly tokens: Pick<TokenAdministration, "insert"> & Pick<TokenLookup, "findById">;
  readonly now: () => Date;
};

export type StartedLogin =
  | { readonly status: "started"; readonly code: string; readonly secret: string }
  /** Too many are waiting. */
  | { readonly status: "crowded" };

export type LoginOutcome =
  | { readonly status: "waiting" }
  /** `secret`: the token of a login, or the password that confirms. */
  | { readonly status: "agreed"; readonly secret: string }
  | { readonly status: "denied" }
  /** Its time is over, or there never was such a session. */
  | { readonly status: "ended" };

/** Lets a client at a command line wait until a person agrees. */
export interface LoginFlow {
  start(wanted: {
    readonly purpose: LoginPurpose;
    readonly subject?: string;
    readonly address?: string | undefined;
  }): Promise<StartedLogin>;
  /** Asked by whoever holds the secret, as often as it likes. */
  poll(secret: string): Promise<LoginOutcome>;
  /** Whether a person agreed to `subject`; `password` is the secret, or the code. True once. */
  confirm(password: string, subject: string): Promise<boolean>;
}

/** Sessions hold no secret: the client's is kept as a hash, and the token is made of it and of the
 * pepper when the client comes for it. */
export function createLoginFlow(options: LoginFlowOptions): LoginFlow {
  return {
    start: (wanted) => start(options, wanted),
    poll: (secret) => poll(options, secret),
    confirm: (password, subject) => confirm(options, password, subject),
  };
}

async function start(
  { sessions, random, now }: LoginFlowOptions,
  { purpose, subject, address }: Parameters<LoginFlow["start"]>[0],
): Promise<StartedLogin> {
  const createdAt = now();
  const secret = Buffer.from(random(32)).toString("base64url");
  const code = makeLoginCode(random);
  const session = {
    pollHash: hashOf(secret),
    code,
    purpose,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + LOGIN_WAITS_MS),
    ...(subject !== undefined && { subject }),
    ...(address !== undefined && { address }),
  };
  const outcome = await sessions.insert(session, MOST);
  return outcome === "crowded" ? { status: "crowded" } : { status: "started", code, secret };
}

async function poll(options: LoginFlowOptions, secret: string): Promise<LoginOutcome> {
  const { sessions, now } = options;
  const session = SECRET.test(secret) ? await sessions.findByPollHash(hashOf(secret)) : undefined;
  if (session?.deniedAt) return { status: "denied" };
  if (!session || session.expiresAt <= now()) return { status: "ended" };
  const ends = session.grant?.token?.expiresAt;
  if (ends && ends <= now()) return { status: "ended" };
  if (!session.grant) return { status: "waiting" };
  return { status: "agreed", secret: await secretFor(options, session, secret) };
}

/** A client that lost the answer may ask again, and two instances may be asked at once: all get
 * the same token, which is stored once. */
async function secretFor(
  { tokens, pepper, now }: LoginFlowOptions,
  { grant }: LoginSession,
  secret: string,
): Promise<string> {
  if (!grant?.token) return secret;
  const { owner, ...wanted } = grant.token;
  const random = (size: number) => derivedBytes(`${pepper}\n${secret}`, size);
  const { token, record } = createToken(wanted, { pepper, now: now(), random });
  if (await tokens.findById(record.id)) return token;
  try {
    await tokens.insert({ ...record, owner }, grant.by);
  } catch (error) {
    if (!(await tokens.findById(record.id))) throw error;
  }
  return token;
}

async function confirm(
  { sessions, now }: LoginFlowOptions,
  password: string,
  subject: string,
): Promise<boolean> {
  const code = parseLoginCode(password);
  const session =
    code === undefined
      ? SECRET.test(password) && (await sessions.findByPollHash(hashOf(password)))
      : await sessions.findByCode(code);
  if (!session || session.purpose !== "confirm") return false;
  const isFor = isSame(session.subject ?? "", subject);
  if (!isFor || !session.grant || session.expiresAt <= now()) return false;
  return sessions.take(session.pollHash);
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [createHash("sha256"), createHash("sha256")];
  return timingSafeEqual(left.update(one).digest(), right.update(other).digest());
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Different for each number of bytes, so the id tells nothing of the secret. */
function derivedBytes(key: string, size: number): Uint8Array {
  if (size > DERIVED_MAX) throw new RangeError(`At most ${DERIVED_MAX} bytes come of one secret.`);
  return createHmac("sha256", key).update(`login-token-${size}`).digest().subarray(0, size);
}
