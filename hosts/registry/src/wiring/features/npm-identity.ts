import { randomBytes } from "node:crypto";
import { createTokenAccounts } from "@sealhouse/identity";
import type { NpmAccounts, NpmTrust } from "@sealhouse/npm-protocol";
import { npmExchange } from "@sealhouse/feed";
import type { Core } from "../core.ts";

/** Path of the console page that shows the code of a waiting sign-in. */
const SIGN_IN_PATH = "/sign-in";

/** API tokens are npm's accounts. The operator approves a web sign-in on the command line. */
export function npmAccounts({ config, resources, access }: Core): NpmAccounts {
  const { database } = resources;
  const { pepper, rules } = access;
  const { authenticator, contexts, now } = rules;
  const { webLogin, stepUp } = config.feed.npm;
  const accounts = createTokenAccounts({
    protocol: "npm",
    tokens: database.tokens,
    sessions: database.loginSessions,
    ...(access.failures && { failures: access.failures }),
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
export function npmTrust({ config, resources, access }: Core): NpmTrust {
  return {
    exchange: npmExchange(access.exchange, access.rules.contexts),
    publishers: resources.database.npm.trustedPublishers,
    issuers: config.feed.trustedPublishing.issuers,
  };
}
