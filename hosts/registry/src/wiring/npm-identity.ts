import { randomBytes } from "node:crypto";
import { createTokenAccounts, createTrustedPublishing } from "@sealhouse/identity";
import type { Database } from "@sealhouse/database";
import type { NpmAccounts, NpmTrust } from "@sealhouse/npm-protocol";
import { publisherGrant } from "@sealhouse/npm-protocol";
import type { FeedConfig } from "../settings/feed.ts";
import type { AccessRules } from "./access.ts";
import { openOutgoingFetch } from "@sealhouse/http-server";
import type { OutgoingConfig } from "@sealhouse/http-server";

/** Path of the console page that shows the code of a waiting sign-in. */
const SIGN_IN_PATH = "/sign-in";

type AccountParts = {
  readonly pepper: string;
  readonly rules: AccessRules;
  readonly config: {
    readonly feed: { readonly npm: Pick<FeedConfig["npm"], "stepUp" | "webLogin"> };
  };
  readonly database: Pick<Database, "tokens" | "loginSessions" | "ownership">;
};

type TrustParts = {
  readonly pepper: string;
  readonly config: {
    readonly feed: { readonly npm: Pick<FeedConfig["npm"], "trustedPublishing"> };
    readonly host: OutgoingConfig;
  };
  readonly database: { readonly npm: Pick<Database["npm"], "trustedPublishers"> };
  readonly rules: Pick<AccessRules, "contexts" | "now">;
};

/** API tokens are npm's accounts. The operator approves a web sign-in on the command line. */
export function npmAccounts({ config, database, pepper, rules }: AccountParts): NpmAccounts {
  const { authenticator, contexts, now } = rules;
  const { webLogin, stepUp } = config.feed.npm;
  const accounts = createTokenAccounts({
    protocol: "npm",
    tokens: database.tokens,
    sessions: database.loginSessions,
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

const NO_AUDIENCE =
  "The registry does not know its public address, so no ID token can name it as the audience. " +
  "Ask its operator to set Feed__PublicBaseUrl.";

/** Build jobs publish with an ID token instead of a secret. */
export function npmTrust({ config, database, pepper, rules }: TrustParts): NpmTrust {
  const { issuers, audiences } = config.feed.npm.trustedPublishing;
  const { contexts, now } = rules;
  const { trustedPublishers } = database.npm;
  const exchange = createTrustedPublishing({
    protocol: "npm",
    issuers: Object.values(issuers),
    audiences,
    noAudienceReason: NO_AUDIENCE,
    fetch: openOutgoingFetch(config.host),
    store: trustedPublishers,
    contexts,
    now,
    pepper,
    random: randomBytes,
    grantOf: publisherGrant,
  });
  return { ...exchange, publishers: trustedPublishers, issuers };
}
