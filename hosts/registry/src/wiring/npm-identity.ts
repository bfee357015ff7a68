import { randomBytes } from "node:crypto";
import { createTokenAccounts } from "@sealhouse/identity";
import type { PolicyExchange } from "@sealhouse/identity";
import type { Database } from "@sealhouse/database";
import type { NpmAccounts, NpmTrust } from "@sealhouse/npm-protocol";
import type { Config } from "../settings/config.ts";
import type { FeedConfig } from "../settings/feed.ts";
import type { AccessRules } from "./access.ts";
import { npmExchange } from "./policy-exchange.ts";

/** Path of the console page that shows the code of a waiting sign-in. */
const SIGN_IN_PATH = "/sign-in";

type AccountParts = {
  readonly pepper: string;
  readonly rules: AccessRules;
  readonly config: {
    readonly feed: { readonly npm: Pick<FeedConfig["npm"], "stepUp" | "webLogin"> };
    readonly database: { readonly type: Config["database"]["type"] };
  };
  readonly database: Pick<Database, "tokens" | "loginSessions" | "ownership" | "signInFailures">;
};

type TrustParts = {
  readonly config: { readonly feed: Pick<FeedConfig, "trustedPublishing"> };
  readonly database: { readonly npm: Pick<Database["npm"], "trustedPublishers"> };
  readonly exchange: PolicyExchange;
  readonly rules: Pick<AccessRules, "contexts">;
};

/** API tokens are npm's accounts. The operator approves a web sign-in on the command line. */
export function npmAccounts({ config, database, pepper, rules }: AccountParts): NpmAccounts {
  const { authenticator, contexts, now } = rules;
  const { webLogin, stepUp } = config.feed.npm;
  const accounts = createTokenAccounts({
    protocol: "npm",
    tokens: database.tokens,
    sessions: database.loginSessions,
    // One process has the whole count in memory.
    ...(config.database.type !== "Sqlite" && { failures: database.signInFailures }),
    authenticator,
    contexts,
    now,
    pepper,
    random: randomBytes,
    webLogin,
    stepUp,
    signInPage: (request, env, code) =>
      `${contexts.of(request, env).publicAddress.base}${SIGN_IN_PATH}/${code}`,
  });
  return {
    ...accounts,
    async user(name) {
      const account = await accounts.user(name);
      if (account) return account;
      // Users and teams own packages before they have a token.
      const owner = await database.ownership.ownerships.find(name);
      return owner?.handle === name ? { name, createdAt: new Date(0) } : undefined;
    },
  };
}

/** Build jobs publish with an ID token instead of a secret. */
export function npmTrust({ config, database, exchange, rules }: TrustParts): NpmTrust {
  return {
    exchange: npmExchange(exchange, rules.contexts),
    publishers: database.npm.trustedPublishers,
    issuers: config.feed.trustedPublishing.issuers,
  };
}
