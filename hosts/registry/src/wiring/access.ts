import { randomBytes } from "node:crypto";
import type { Database } from "@sealhouse/database";
import {
  createBearerTokens,
  createRefreshTokens,
  createNameViews,
  openAuthenticator,
} from "@sealhouse/identity";
import type {
  AccessRules as IdentityRules,
  Authenticator,
  NameRules,
  PolicyExchange,
  Revalidation,
} from "@sealhouse/identity";
import type { RequestContexts } from "@sealhouse/http-server";
import type { Log } from "../log.ts";
import type { AnswerLeakReport } from "../http/leaked-tokens.ts";
import type { Config } from "../settings/config.ts";
import { openLeakReports } from "./leaked-tokens.ts";
import { imageIdTokens, openPolicyExchange } from "./policy-exchange.ts";

/** Everything that access depends on, with the host's request contexts. */
export type AccessRules = Omit<IdentityRules, "contexts"> & { readonly contexts: RequestContexts };

export type AccessParts = {
  readonly config: Config;
  readonly database: Pick<
    Database,
    "tokens" | "refreshTokens" | "signInFailures" | "policies" | "visibilities"
  >;
  readonly pepper: string;
  readonly contexts: RequestContexts;
  /** Checks of memberships. */
  readonly revalidation?: Pick<Revalidation, "noteUse"> | undefined;
  readonly log: Log;
  readonly now: () => Date;
  /** Absent where names have no owners. */
  readonly names?: NameRules | undefined;
};

/** Opens the access rules of all protocols. Disposing of the authenticator writes last uses. */
export function openAccess(parts: AccessParts): {
  readonly rules: AccessRules;
  readonly authenticator: Authenticator;
  readonly answerLeakReport: AnswerLeakReport;
  /** Exchanges ID tokens of build jobs. */
  readonly exchange: PolicyExchange;
} {
  const { config, database, pepper, contexts, revalidation, log, now, names } = parts;
  const { tokens } = database;
  const authenticator = openAuthenticator({
    tokens,
    use: tokens,
    pepper,
    now,
    // One process has the whole count in memory.
    ...(config.database.type !== "Sqlite" && { failures: database.signInFailures }),
    onError: (error) => log.warn({ err: error }, "could not write last uses of tokens; will retry"),
    ...(revalidation && { onUserSeen: revalidation.noteUse }),
  });
  const bearerTokens = createBearerTokens({
    tokens,
    pepper,
    issuer: config.host.keyRing.applicationName,
    service: config.feed.name,
    now,
    random: randomBytes,
    lifetimeSeconds: Math.floor(config.feed.oci.tokenLifetimeMs / 1_000),
  });
  const refreshTokens = createRefreshTokens({
    store: database.refreshTokens,
    tokens,
    now,
    random: randomBytes,
  });
  const { anonymousPull } = config.feed;
  const exchange = openPolicyExchange({ config, database, pepper, now });
  const idTokens = imageIdTokens(exchange, tokens);
  const views = createNameViews(database.visibilities);
  const made = { bearerTokens, refreshTokens, idTokens, views };
  const mfaPatterns = config.signIn?.mfaPatterns;
  const rules = { authenticator, ...made, contexts, anonymousPull, now, names, mfaPatterns };
  const answerLeakReport = openLeakReports({ ...parts, authenticator });
  return { authenticator, exchange, rules, answerLeakReport };
}
