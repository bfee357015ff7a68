import type { Caller } from "@sealhouse/request-types";
import type { Credentials } from "../credentials.ts";
import { readCredentials } from "../credentials.ts";
import { reasonAgainstUse } from "../authorize.ts";
import { TOO_MANY_CHILDREN, deriveToken } from "../derive-token.ts";
import { TokenSettingError } from "../errors.ts";
import { findToken } from "../find-token.ts";
import type { LoginFlow, StartedLogin } from "../login-flow.ts";
import { createLoginFlow } from "../login-flow.ts";
import { parseAdministration } from "../login-sessions.ts";
import type { Scope } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { principalOf } from "../principal.ts";
import { identify } from "../requests/identification.ts";
import { createAccountTokens } from "./account-tokens.ts";
import type {
  AccountHolder,
  AccountIdentified,
  AccountOptions,
  AccountSession,
  AccountStepUp,
  TokenAccounts,
} from "./account-types.ts";

/** Presents tokens as accounts: a token is the only password. For a web sign-in, an operator
 * approves the code. */
export function createTokenAccounts(options: AccountOptions): TokenAccounts {
  const { tokens, contexts, sessions, pepper, random, now, failures } = options;
  const flow = createLoginFlow({ sessions, tokens, pepper, random, now, failures });
  return {
    async identify(request, env) {
      const result = await findHolder(options, readCredentials(request.headers), { request, env });
      return result.status === "known" ? { status: "known", holder: result.holder } : result;
    },
    async user(name) {
      const [first] = await tokens.listNamed(name);
      return first && { name, createdAt: first.createdAt };
    },
    signIn: (request, env, attempt) => signIn(options, attempt, { request, env }),
    signOut: (request, env, token) => signOut(options, token, { request, env }),
    logins: {
      async start(request, env, text) {
        if (!options.webLogin) return { status: "off" };
        const scopes = text === undefined ? undefined : scopesOrReason(text);
        if (typeof scopes === "string") return { status: "refused", reason: scopes };
        const { address } = contexts.of(request, env);
        const started = await flow.start({ purpose: "login", address, scopes });
        return sessionOf(options, started, { request, env });
      },
      poll: (secret) => flow.poll(secret),
    },
    tokens: createAccountTokens(options),
    stepUp: createStepUp(options, flow),
  };
}

type Source = { readonly request: Request; readonly env: unknown };
type FoundHolder =
  | { readonly status: "known"; readonly holder: AccountHolder; readonly principal: Principal }
  | Exclude<AccountIdentified, { readonly status: "known" }>;

async function findHolder(
  { authenticator, contexts, protocol, now }: AccountOptions,
  credentials: Credentials,
  { request, env }: Source,
): Promise<FoundHolder> {
  const context = contexts.of(request, env);
  const { id: requestId, address } = context;
  const authentication = await identify({ authenticator, contexts }, credentials, context);
  switch (authentication.status) {
    case "none":
      return { status: "anonymous" };
    case "invalid":
      return { status: "anonymous", reason: authentication.reason };
    case "limited":
      return authentication;
    case "principal": {
      const { principal } = authentication;
      const reason = reasonAgainstUse(principal, { protocol, address, now: now() });
      if (reason !== undefined) return { status: "denied", reason };
      const { name: actor, tokenId } = principal;
      const checked = { tokenId, needs: undefined };
      const holder = {
        actor,
        ...checked,
        requestId,
        ...(address !== undefined && { address }),
      };
      return { status: "known", holder, principal };
    }
  }
}

async function signIn(
  options: AccountOptions,
  { password, confirm }: Parameters<TokenAccounts["signIn"]>[2],
  source: Source,
): ReturnType<TokenAccounts["signIn"]> {
  const secret = { type: "secret", secret: password, via: "basic" } as const;
  const result = await findHolder(options, secret, source);
  switch (result.status) {
    case "limited":
      return result;
    case "denied":
      return { status: "refused", reason: result.reason };
    case "anonymous":
      return { status: "refused", reason: result.reason ?? "The request has no token." };
    case "known": {
      const { holder, principal } = result;
      const { tokens, pepper, random, now, protocol } = options;
      const newToken = { name: `${protocol} login`, protocols: [protocol] } as const;
      const made = deriveOrReason(principal, newToken, { pepper, now: now(), random });
      if (typeof made === "string") return { status: "refused", reason: made };
      await confirm(holder);
      const outcome = await tokens.insert(made.record, holder);
      if (outcome === "inserted") {
        return { status: "signed-in", name: principal.name, token: made.token };
      }
      const isCrowded = outcome === "crowded";
      const reason = isCrowded ? TOO_MANY_CHILDREN : "The token was revoked; create a new one.";
      return { status: "refused", reason };
    }
  }
}

function deriveOrReason(
  ...derived: Parameters<typeof deriveToken>
): ReturnType<typeof deriveToken> | string {
  return valueOrReason(() => deriveToken(...derived));
}

function scopesOrReason(text: string): readonly Scope[] | string {
  return valueOrReason(() => parseAdministration(text));
}

function valueOrReason<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    if (error instanceof TokenSettingError) return error.message;
    throw error;
  }
}

/** Authenticates as a sign-in does, so that guesses count as failures. */
async function signOut(
  { authenticator, contexts, tokens, pepper, now }: AccountOptions,
  token: string,
  { request, env }: Source,
): ReturnType<TokenAccounts["signOut"]> {
  const context = contexts.of(request, env);
  const { id: requestId, address } = context;
  const secret = { type: "secret", secret: token, via: "bearer" } as const;
  const authentication = await identify({ authenticator, contexts }, secret, context);
  if (authentication.status === "limited") return authentication;
  const isValid = authentication.status === "principal";
  const principal = isValid ? authentication.principal : await endedIn(tokens, token, pepper);
  if (!principal) return { status: "unknown" };
  const { name: actor, tokenId } = principal;
  const credentials = { tokenId, needs: undefined };
  const from = { requestId, ...(address !== undefined && { address }) };
  const by: Caller = { actor, ...credentials, ...from };
  await tokens.revoke(tokenId, now(), by);
  return { status: "revoked" };
}

/** The principal of a token that is no longer valid. */
async function endedIn(...sought: Parameters<typeof findToken>): Promise<Principal | undefined> {
  const record = await findToken(...sought);
  return record && principalOf(record);
}

function createStepUp(options: AccountOptions, flow: LoginFlow): AccountStepUp {
  const { stepUp, contexts } = options;
  return {
    async check(holder, action, password) {
      if (!stepUp) return "confirmed";
      if (password === undefined) return "wanted";
      const confirmed = { subject: subjectOf(holder, action), tokenId: holder.tokenId };
      return (await flow.confirm(password, confirmed)) ? "confirmed" : "wanted";
    },
    async start(request, env, { holder, action }) {
      const { address } = contexts.of(request, env);
      const subject = subjectOf(holder, action);
      const { tokenId } = holder;
      const started = await flow.start({ purpose: "confirm", subject, tokenId, address });
      return sessionOf(options, started, { request, env });
    },
  };
}

/** Names what a confirmation allows. The operator sees it. */
function subjectOf({ actor, tokenId }: AccountHolder, action: string): string {
  return `${action} by ${actor} with token ${tokenId}`;
}

function sessionOf(
  { signInPage }: AccountOptions,
  started: StartedLogin,
  { request, env }: Source,
): AccountSession {
  if (started.status === "crowded") return started;
  const { code, secret } = started;
  return { status: "started", page: signInPage(request, env, code), code, secret };
}
