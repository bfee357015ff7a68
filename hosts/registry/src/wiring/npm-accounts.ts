import { randomBytes } from "node:crypto";
import {
  TOO_MANY_CHILDREN,
  TokenSettingError,
  createLoginFlow,
  deriveToken,
  findToken,
  principalOf,
  readCredentials,
  reasonAgainstUse,
} from "@sealhouse/identity";
import type { Credentials, LoginFlow, Principal, StartedLogin } from "@sealhouse/identity";
import type {
  Holder,
  Identified,
  NpmAccounts,
  NpmStepUp,
  SignIn,
  SignInAsked,
  SignOut,
  StartedSession,
  StepUpAction,
} from "@sealhouse/npm-protocol";
import type { Database } from "@sealhouse/database";
import type { AccessRules } from "./access.ts";
import type { FeedConfig } from "../settings/feed.ts";
import { npmTokens } from "./npm-tokens.ts";
import type { Parts } from "./parts.ts";

export type AccountParts = Pick<Parts, "pepper"> & {
  readonly config: {
    readonly feed: { readonly npm: Pick<FeedConfig["npm"], "stepUp" | "webLogin"> };
  };
  readonly database: Pick<Database, "tokens" | "loginSessions">;
  readonly rules: Pick<AccessRules, "authenticator" | "contexts" | "now">;
};

/** The page below the public address that shows what a command line waits for. */
export const SIGN_IN_PATH = "/sign-in";

/** Accounts are what tokens stand for; a person agrees to a login at the host's command line. */
export function npmAccounts(parts: AccountParts): NpmAccounts {
  const { database, rules, pepper } = parts;
  const flow = createLoginFlow({
    sessions: database.loginSessions,
    tokens: database.tokens,
    pepper,
    random: randomBytes,
    now: rules.now,
  });
  return {
    async identify(request, env) {
      const known = await holderOf(parts, readCredentials(request.headers), { request, env });
      return known.status === "known" ? { status: "known", holder: known.holder } : known;
    },
    async user(name) {
      const [first] = await database.tokens.listNamed(name);
      return first && { name, createdAt: first.createdAt };
    },
    signIn: (request, env, asked) => signIn(parts, asked, { request, env }),
    signOut: (request, env, token) => signOut(parts, token, { request, env }),
    logins: {
      async start(request, env) {
        if (!parts.config.feed.npm.webLogin) return { status: "off" };
        const from = rules.contexts.of(request, env);
        const started = await flow.start({ purpose: "login", address: from.address });
        return sessionOf(started, from.publicAddress.base);
      },
      poll: (secret) => flow.poll(secret),
    },
    tokens: npmTokens(parts),
    stepUp: stepUp(parts, flow),
  };
}

type From = { readonly request: Request; readonly env: unknown };
type Known =
  | { readonly status: "known"; readonly holder: Holder; readonly principal: Principal }
  | Exclude<Identified, { readonly status: "known" }>;

async function holderOf(
  { rules }: AccountParts,
  credentials: Credentials,
  { request, env }: From,
): Promise<Known> {
  const { id: requestId, address } = rules.contexts.of(request, env);
  const found = await rules.authenticator.authenticate(credentials, address);
  switch (found.status) {
    case "none":
      return { status: "anonymous" };
    case "invalid":
      return { status: "anonymous", reason: found.reason };
    case "limited":
      return found;
    case "principal": {
      const { principal } = found;
      const reason = reasonAgainstUse(principal, { protocol: "npm", address, now: rules.now() });
      if (reason !== undefined) return { status: "denied", reason };
      const { name: actor, tokenId } = principal;
      const holder = { actor, tokenId, requestId, ...(address !== undefined && { address }) };
      return { status: "known", holder, principal };
    }
  }
}

async function signIn(
  parts: AccountParts,
  { password, confirm }: SignInAsked,
  from: From,
): Promise<SignIn> {
  const secret = { type: "secret", secret: password, via: "basic" } as const;
  const known = await holderOf(parts, secret, from);
  switch (known.status) {
    case "limited":
      return known;
    case "denied":
      return { status: "refused", reason: known.reason };
    case "anonymous":
      return { status: "refused", reason: known.reason ?? "None was given." };
    case "known": {
      const { holder, principal } = known;
      const { database, pepper, rules } = parts;
      const wanted = { name: "npm login", protocols: ["npm"] } as const;
      const making = { pepper, now: rules.now(), random: randomBytes };
      const made = derivedOrReason(principal, wanted, making);
      if (typeof made === "string") return { status: "refused", reason: made };
      await confirm(holder);
      const outcome = await database.tokens.insert(made.record, holder);
      if (outcome === "inserted") {
        return { status: "signed-in", name: principal.name, token: made.token };
      }
      const isCrowded = outcome === "crowded";
      const reason = isCrowded ? TOO_MANY_CHILDREN : "This token has been revoked; make a new one.";
      return { status: "refused", reason };
    }
  }
}

function derivedOrReason(
  ...derived: Parameters<typeof deriveToken>
): ReturnType<typeof deriveToken> | string {
  try {
    return deriveToken(...derived);
  } catch (error) {
    if (error instanceof TokenSettingError) return error.message;
    throw error;
  }
}

/** Asks as a login does, so that guesses count as failures. */
async function signOut(parts: AccountParts, token: string, from: From): Promise<SignOut> {
  const { database, pepper, rules } = parts;
  const { id: requestId, address } = rules.contexts.of(from.request, from.env);
  const secret = { type: "secret", secret: token, via: "bearer" } as const;
  const found = await rules.authenticator.authenticate(secret, address);
  if (found.status === "limited") return found;
  const record = await findToken(database.tokens, token, pepper);
  if (!record) return { status: "unknown" };
  const by = { actor: principalOf(record).name, tokenId: record.id, requestId };
  await database.tokens.revoke(record.id, rules.now(), {
    ...by,
    ...(address !== undefined && { address }),
  });
  return { status: "revoked" };
}

function stepUp({ config, rules }: AccountParts, flow: LoginFlow): NpmStepUp {
  const isWanted = config.feed.npm.stepUp;
  return {
    async check(holder, action, password) {
      if (!isWanted) return "confirmed";
      if (password === undefined) return "wanted";
      return (await flow.confirm(password, subjectOf(holder, action))) ? "confirmed" : "wanted";
    },
    async start(request, env, { holder, action }) {
      const { address, publicAddress } = rules.contexts.of(request, env);
      const subject = subjectOf(holder, action);
      const started = await flow.start({ purpose: "confirm", subject, address });
      return sessionOf(started, publicAddress.base);
    },
  };
}

/** What `sealhouse npm confirm` shows, and what the confirmation is good for. */
function subjectOf({ actor, tokenId }: Holder, action: StepUpAction): string {
  return `${action} by ${actor} with token ${tokenId}`;
}

function sessionOf(started: StartedLogin, base: string): StartedSession {
  if (started.status === "crowded") return started;
  const { code, secret } = started;
  return { status: "started", page: `${base}${SIGN_IN_PATH}/${code}`, code, secret };
}
